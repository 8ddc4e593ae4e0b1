/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interposer of `preload`: it is loaded by LD_PRELOAD into dynamically linked programs, under glibc
 * and musl alike. It needs no library: what it calls is in both, and what it replaces it looks up.
 *
 * In a program that it was not given secrets for, and on any doubt, it does nothing but call on.
 */
#ifndef SVC_INTERPOSER_H
#define SVC_INTERPOSER_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define INTERPOSED __attribute__((visibility("default")))

/* What stands for a value in an environment block; packages/protocol/src/placeholder.ts. */
#define PLACEHOLDER "svc:protected"
#define DESCRIPTOR_VARIABLE "SVC_SECRET_FD="
#define PRELOAD_VARIABLE "LD_PRELOAD="

/* The secrets that this program was given: `KEY=VALUE\0` entries, then zero bytes. */
struct region {
	char *start;
	size_t length;
};

extern struct region secrets;
/* Where this very object was loaded from, as LD_PRELOAD names it. */
extern const char *own_path;

/* region.c */
bool map_region(int fd, struct region *region);
int make_region(size_t length, char **mapping);
char *entry_of(const struct region *region, const char *variable);

/* can-take.c */
bool can_take(const char *path, int depth);

/* launch.c */
typedef int launch_function(const void *arguments, char *const envp[]);
int launch(const char *path, char *const envp[], launch_function *go, const void *arguments);

/* next-function.c */
struct next_functions {
	bool known;
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			    const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawn_file_actions_addclosefrom_np)(posix_spawn_file_actions_t *, int);
	int (*system)(const char *);
	FILE *(*popen)(const char *, const char *);
	int (*pclose)(FILE *);
};

extern struct next_functions next;
void find_next_functions(void);

/* find-program.c */
bool find_program(const char *name, char *path, size_t size);

#endif
