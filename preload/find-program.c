/* SPDX-License-Identifier: Apache-2.0 */
/* Where execvp(3) and posix_spawnp(3) would find a program. */
#define _GNU_SOURCE
#include "interposer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AT_FDCWD -100

static bool is_executable(const char *path)
{
	struct stat info;

	return !syscall(SYS_faccessat, AT_FDCWD, path, X_OK) &&
	       !syscall(
#ifdef SYS_newfstatat
		       SYS_newfstatat,
#else
		       SYS_fstatat,
#endif
		       AT_FDCWD, path, &info, 0) &&
	       S_ISREG(info.st_mode);
}

bool find_program(const char *name, char *path, size_t size)
{
	const char *folders = getenv("PATH");
	size_t length = name ? strlen(name) : 0;

	if (!length || length >= size)
		return false;
	if (strchr(name, '/')) {
		memcpy(path, name, length + 1);
		return true;
	}
	if (!folders)
		folders = "/bin:/usr/bin";
	for (;; folders++) {
		size_t folder = strcspn(folders, ":");

		if (folder + length + 2 <= size) {
			memcpy(path, folders, folder);
			if (folder)
				path[folder] = '/';
			memcpy(path + folder + (folder ? 1 : 0), name, length + 1);
			if (is_executable(path))
				return true;
		}
		folders += folder;
		if (!*folders)
			return false;
	}
}
