/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interposer of `preload`: it is loaded by LD_PRELOAD into dynamically linked programs, under
 * glibc and musl alike. It needs no library: its callees are in both, and it
 * looks up the functions that it replaces.
 *
 * In a program that it was not given secrets for, and on any doubt, it does nothing but call on.
 */
#ifndef SVC_INTERPOSER_H
#define SVC_INTERPOSER_H

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define INTERPOSED __attribute__((visibility("default")))
/* Declared as it is defined, for getenv: without it, its address is looked up. */
#define OWN __attribute__((visibility("hidden")))

/* The placeholder of a value in an environment block; packages/protocol/src/placeholder.ts. */
#define PLACEHOLDER "svc:protected"
#define DESCRIPTOR_VARIABLE "SVC_SECRET_FD="
#define PRELOAD_VARIABLE "LD_PRELOAD="
#define MAX_PATH_BYTES 4096

extern char **environ;

/* A program with a loader and without libc must start, too: these are not called in it. */
#pragma weak environ
#pragma weak __errno_location
#pragma weak dl_iterate_phdr
#pragma weak fclose
#pragma weak fdopen
#pragma weak posix_spawn_file_actions_addclose
#pragma weak posix_spawn_file_actions_adddup2
#pragma weak posix_spawn_file_actions_destroy
#pragma weak posix_spawn_file_actions_init
#pragma weak posix_spawnattr_destroy
#pragma weak posix_spawnattr_init
#pragma weak posix_spawnattr_setflags
#pragma weak posix_spawnattr_setsigdefault
#pragma weak posix_spawnattr_setsigmask
#pragma weak sigaction
#pragma weak sigaddset
#pragma weak sigemptyset
#pragma weak sigprocmask

/* `KEY=VALUE\0` entries. */
struct region {
	char *start;
	/* The length of the entries; the mapping is whole pages. */
	size_t length;
};

/*
 * The secrets that this program was given. If they can be replaced (generations.c) these are all
 * pages that may be pointed into: only current_entries has the current ones.
 */
extern struct region secrets;
/* The file that this very object was loaded from, as LD_PRELOAD names it. */
extern const char *own_path;

/* region.c */
/*
 * Maps the region that a descriptor holds. Returns false if it holds no region, or if the kernel
 * refuses a system call. Then `refused` points to the name of that call, else it is NULL.
 */
bool map_region(int fd, struct region *region, const char **refused);
int make_region(size_t length, char **mapping);
char *entry_of(const struct region *region, const char *variable);
char *entry_named(const struct region *region, const char *name, size_t length);
bool is_region(struct region *region);

/* generations.c */

/* The place of the number of the current generation, and which one the environment points at. */
struct generations {
	const _Atomic uint64_t *current;
	_Atomic uint64_t followed;
};

extern OWN struct generations generations;
bool take_generations(struct region *region, size_t mapped);
void note_variables(char **slots);
struct region current_entries(void);
struct region first_entries(void);
struct region earlier_entries(void);
bool is_secret(const char *pointer);
char *current_value(const char *name);
bool follow_generation(void);

/* True if the environment points at the current values: always, if nothing is replaced. */
static inline bool is_current(void)
{
	return __builtin_expect(
		atomic_load_explicit(generations.current, memory_order_acquire) ==
			atomic_load_explicit(&generations.followed, memory_order_acquire),
		true);
}

/* can-take.c */
bool can_take(const char *path);
int open_file(const char *path);
bool read_at(int fd, void *to, size_t length, long at);

/* imports-library.c */
bool imports_library(const char *path);

/* launch.c */

/*
 * The region for a child: its descriptor here, close-on-exec, and the number that the child knows.
 */
struct handed {
	int fd, number;
};

/* `handed` is NULL if the child gets no region. */
typedef int launch_function(const void *arguments, char *const envp[],
			    const struct handed *handed);

struct launch {
	/* The executed file; NULL if it is not known. */
	const char *path;
	char *const *envp;
	launch_function *go;
	const void *arguments;
	/*
	 * `go` gives the descriptor its number in the child; otherwise this process becomes the
	 * program.
	 */
	bool spawns;
	/* The descriptor's lowest number, and the child's number for it or -1 for any. */
	int least, number;
};

int launch(const struct launch *launch);

/* file-actions.c */

/* The effect of file actions on a descriptor that the child must have, too. */
struct file_plan {
	/* Higher than all that they name. */
	int least;
	/*
	 * The number that is left to the child if they close all others; -1 if they do not.
	 */
	int number;
	/* A path that is not absolute is looked up elsewhere. */
	bool moves;
};

bool plan_actions(const posix_spawn_file_actions_t *actions, struct file_plan *plan);
size_t extended_bytes(const posix_spawn_file_actions_t *actions);
void extend_actions(const posix_spawn_file_actions_t *actions, const struct handed *handed,
		    void *room, posix_spawn_file_actions_t *extended);

/* getenv.c */
typedef char *getenv_function(const char *);

char *look_up(const char *name);

/* next-function.c */
struct next_functions {
	bool known;
	/* The library of the posix_spawn_file_actions_t. */
	bool is_glibc;
	/* These are never NULL. */
	getenv_function *getenv, *secure_getenv;
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			    const posix_spawnattr_t *, char *const[], char *const[]);
	int (*system)(const char *);
	FILE *(*popen)(const char *, const char *);
	int (*pclose)(FILE *);
};

extern OWN struct next_functions next;
void find_next_functions(void);

/* find-program.c */
bool find_program(const char *name, char *path, size_t size);

/* lock.c */
void lock(void);
void unlock(void);

/* child.c */
int spawn_shell(const char *command, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, pid_t *pid);
int wait_for(pid_t pid);

#endif
