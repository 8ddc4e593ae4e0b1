/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a program that is about to be executed uses the Go library, which reads the region by
 * itself: by what `go version -m` prints of it (debug/buildinfo), as go-build-info.ts does.
 */
#define _GNU_SOURCE
#include "interposer.h"
#include "system-call.h"

#include <elf.h>
#include <string.h>

#define MAX_SECTIONS 64
#define MAX_NAMES_BYTES 2048
#define MAX_INFO_BYTES (4L << 20)
#define CHUNK_BYTES 2048
#define SECTION ".go.buildinfo"
#define MODULE "\tsvc.internal/secrets\t"

/* The text may lie across the end of a chunk: the next one begins before it. */
static bool has_module(int fd, long at, long length)
{
	char chunk[CHUNK_BYTES];
	const long step = CHUNK_BYTES - (long)sizeof(MODULE);

	if (length > MAX_INFO_BYTES)
		return false;
	for (long done = 0; done < length; done += step) {
		long left = length - done;
		long bytes = left < CHUNK_BYTES ? left : CHUNK_BYTES;

		if (!read_at(fd, chunk, bytes, at + done))
			return false;
		for (long from = 0; from + (long)sizeof(MODULE) - 1 <= bytes; from++)
			if (!memcmp(chunk + from, MODULE, sizeof(MODULE) - 1))
				return true;
	}
	return false;
}

static bool is_named(const char *names, size_t length, const Elf64_Shdr *section)
{
	return section->sh_name < length && length - section->sh_name >= sizeof(SECTION) &&
	       !memcmp(names + section->sh_name, SECTION, sizeof(SECTION));
}

static bool has_library(int fd)
{
	Elf64_Ehdr header;
	Elf64_Shdr sections[MAX_SECTIONS];
	const Elf64_Shdr *texts;
	char names[MAX_NAMES_BYTES];

	if (!read_at(fd, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > MAX_SECTIONS ||
	    header.e_shstrndx >= header.e_shnum ||
	    !read_at(fd, sections, header.e_shnum * sizeof(Elf64_Shdr), (long)header.e_shoff))
		return false;
	texts = &sections[header.e_shstrndx];
	if (texts->sh_size > sizeof(names) ||
	    !read_at(fd, names, texts->sh_size, (long)texts->sh_offset))
		return false;
	for (int index = 0; index < header.e_shnum; index++)
		if (is_named(names, texts->sh_size, &sections[index]))
			return has_module(fd, (long)sections[index].sh_offset,
					  (long)sections[index].sh_size);
	return false;
}

bool imports_library(const char *path)
{
	int fd = open_file(path);
	bool result;

	if (fd < 0)
		return false;
	result = has_library(fd);
	system_call(SYS_close, (long)fd);
	return result;
}
