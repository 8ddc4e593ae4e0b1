/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program that is about to be executed will load the interposer. */
#define _GNU_SOURCE
#include "interposer.h"
#include "system-call.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
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

/* The loader ignores LD_PRELOAD if execve grants something; ld.so(8), secure-execution mode. */
static bool raises_privileges(int fd)
{
	struct stat info;

	/* To the kernel a process with a temporary other effective ID is the same. */
	if (system_call(SYS_getuid) != system_call(SYS_geteuid) ||
	    system_call(SYS_getgid) != system_call(SYS_getegid))
		return true;
	/* Capabilities count even if they are not granted; security/commoncap.c. */
	if (system_call(SYS_fgetxattr, (long)fd, "security.capability", NULL, 0L) > 0)
		return true;
	if (system_call(SYS_prctl, (long)PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) == 1)
		return false;
	return system_call(SYS_fstat, (long)fd, &info) < 0 ||
	       (info.st_mode & (S_ISUID | S_ISGID));
}

/* glibc's and musl's; one that is not there makes execvp(3) look further. */
static bool is_known_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return (!strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-musl-", 8) ||
		!strncmp(name, "ld.so", 5) || !strncmp(name, "ld64.so", 7)) &&
	       !system_call(SYS_faccessat, (long)AT_FDCWD, path, (long)X_OK);
}

bool read_at(int fd, void *to, size_t length, long at)
{
	return system_call(SYS_pread64, (long)fd, to, length, at) == (long)length;
}

static bool has_loader(int fd, const Elf64_Ehdr *header)
{
	char loader[MAX_LOADER_BYTES];

	if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > MAX_SEGMENTS)
		return false;
	for (int index = 0; index < header->e_phnum; index++) {
		Elf64_Phdr segment;
		long at = header->e_phoff + index * sizeof(segment);

		if (!read_at(fd, &segment, sizeof(segment), at))
			return false;
		if (segment.p_type != PT_INTERP)
			continue;
		if (!segment.p_filesz || segment.p_filesz > sizeof(loader))
			return false;
		return read_at(fd, loader, segment.p_filesz, segment.p_offset) &&
		       !loader[segment.p_filesz - 1] && is_known_loader(loader);
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

static bool takes(const char *path, int depth);

/* fs/binfmt_script.c: the first word behind `#!`. */
static bool takes_script(char *head, int depth)
{
	char *start = head + 2 + strspn(head + 2, " \t");
	size_t length = strcspn(start, " \t\n");

	if (!length || depth >= MAX_SCRIPTS || start + length >= head + HEAD_BYTES)
		return false;
	start[length] = 0;
	return takes(start, depth + 1);
}

/* A pipe or a device is not opened: that may wait, or do something. */
int open_file(const char *path)
{
	struct stat info;

	if (system_call(SYS_newfstatat, (long)AT_FDCWD, path, &info, 0L) < 0 ||
	    !S_ISREG(info.st_mode))
		return -1;
	return system_call(SYS_openat, (long)AT_FDCWD, path,
			   (long)(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

/* A file without a magic number is run by sh, if at all; execvp(3). */
static bool takes(const char *path, int depth)
{
	char head[HEAD_BYTES + 1];
	int fd = open_file(path);
	long length;
	bool result = false;

	if (fd < 0)
		return false;
	length = system_call(SYS_pread64, (long)fd, head, (long)HEAD_BYTES, 0L);
	head[length < 0 ? 0 : length] = 0;
	if (length >= (long)sizeof(Elf64_Ehdr) && !memcmp(head, ELFMAG, SELFMAG))
		result = takes_elf(fd, head);
	else if (length > 2 && !memcmp(head, "#!", 2))
		result = takes_script(head, depth);
	else if (length >= 0 && depth < MAX_SCRIPTS)
		result = takes("/bin/sh", MAX_SCRIPTS);
	system_call(SYS_close, (long)fd);
	return result;
}

/* True if the program will load the interposer, which is still where it was. */
bool can_take(const char *path)
{
	return takes(path, 0) &&
	       !system_call(SYS_faccessat, (long)AT_FDCWD, own_path, (long)R_OK);
}
