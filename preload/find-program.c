/* SPDX-License-Identifier: Apache-2.0 */
/* The place in which execvp(3) and posix_spawnp(3) would find a program. */
#define _GNU_SOURCE
#include "interposer.h"
#include "system-call.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_executable(const char *path)
{
	struct stat info;

	return !system_call(SYS_faccessat, (long)AT_FDCWD, path, (long)X_OK) &&
	       !system_call(SYS_newfstatat, (long)AT_FDCWD, path, &info, 0L) &&
	       S_ISREG(info.st_mode);
}

static const char *search_path(void)
{
	for (char **slot = environ; slot && *slot; slot++)
		if (!strncmp(*slot, "PATH=", 5))
			return *slot + 5;
	return next.is_glibc ? "/bin:/usr/bin" : "/usr/local/bin:/bin:/usr/bin";
}

bool find_program(const char *name, char *path, size_t size)
{
	const char *folders = search_path();
	size_t length = name ? strlen(name) : 0;

	if (!length || length >= size)
		return false;
	if (strchr(name, '/')) {
		memcpy(path, name, length + 1);
		return true;
	}
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
