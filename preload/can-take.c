/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program that is about to be executed will load the interposer. */
#include "interposer.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HEAD_BYTES 256
#define MAX_SCRIPTS 4
#define MAX_SEGMENTS 64
#define MAX_LOADER_BYTES 256
#ifdef __aarch64__
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

/* The loader ignores LD_PRELOAD where execve grants something; ld.so(8), secure-execution mode. */
static bool raises_privileges(int fd)
{
	struct stat info;

	if (prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) == 1)
		return false;
	if (syscall(SYS_fstat, fd, &info) < 0)
		return true;
	return (info.st_mode & (S_ISUID | S_ISGID)) ||
	       syscall(SYS_fgetxattr, fd, "security.capability", NULL, 0L) > 0;
}

/* glibc's ld-linux*.so.*, ld64.so.*, ld.so*, and musl's ld-musl-*.so.1. */
static bool is_known_loader(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, "ld", 2);
}

static bool has_loader(int fd, const Elf64_Ehdr *header)
{
	char loader[MAX_LOADER_BYTES];

	if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > MAX_SEGMENTS)
		return false;
	for (int index = 0; index < header->e_phnum; index++) {
		Elf64_Phdr segment;
		long at = header->e_phoff + index * sizeof(segment);
		long length;

		if (syscall(SYS_pread64, fd, &segment, sizeof(segment), at) != sizeof(segment))
			return false;
		if (segment.p_type != PT_INTERP)
			continue;
		if (!segment.p_filesz || segment.p_filesz > sizeof(loader))
			return false;
		length = syscall(SYS_pread64, fd, loader, segment.p_filesz, segment.p_offset);
		return length == (long)segment.p_filesz && !loader[length - 1] &&
		       is_known_loader(loader);
	}
	return false;
}

static bool takes_elf(int fd, const char *head)
{
	Elf64_Ehdr header;

	memcpy(&header, head, sizeof(header));
	return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
	       header.e_machine == OWN_MACHINE && has_loader(fd, &header) &&
	       !raises_privileges(fd);
}

/* fs/binfmt_script.c: the first word behind `#!`. */
static bool takes_script(char *head, int depth)
{
	char *start = head + 2 + strspn(head + 2, " \t");
	size_t length = strcspn(start, " \t\n");

	if (!length || depth >= MAX_SCRIPTS || start + length >= head + HEAD_BYTES)
		return false;
	start[length] = 0;
	return can_take(start, depth + 1);
}

/* A file without a magic number is run by sh, if at all; execvp(3). */
bool can_take(const char *path, int depth)
{
	char head[HEAD_BYTES + 1];
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	long length;
	bool takes = false;

	if (fd < 0)
		return false;
	length = syscall(SYS_pread64, fd, head, (long)HEAD_BYTES, 0L);
	head[length < 0 ? 0 : length] = 0;
	if (length >= (long)sizeof(Elf64_Ehdr) && !memcmp(head, ELFMAG, SELFMAG))
		takes = takes_elf(fd, head);
	else if (length > 2 && !memcmp(head, "#!", 2))
		takes = takes_script(head, depth);
	else if (length >= 0 && depth < MAX_SCRIPTS)
		takes = can_take("/bin/sh", MAX_SCRIPTS);
	syscall(SYS_close, fd);
	return takes;
}
