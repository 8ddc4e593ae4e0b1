/* SPDX-License-Identifier: Apache-2.0 */
/* The environment that a child is given, written into memory of the caller's. */
#ifndef SVC_CHILD_ENVIRONMENT_H
#define SVC_CHILD_ENVIRONMENT_H

#include "interposer.h"

struct plan {
	/* The source of the secrets. */
	struct region entries, earlier, first;
	/* Variables in all, and those that are secrets. */
	size_t variables, secrets;
	/* The size of the child's region, and its placeholders. */
	size_t region_bytes, placeholder_bytes;
	/* The value of LD_PRELOAD, if the child has one. */
	const char *preload;
};

/* child-environment.c */
bool plan_environment(struct plan *plan, char *const envp[]);
size_t scratch_bytes(const struct plan *plan);
/*
 * Fills the region, too, which is as long as planned. A program of the Go library gets no
 * placeholders and not our name: it reads the region by itself.
 */
void write_environment(char **slots, const struct plan *plan, char *const envp[],
		       const struct region *region, int fd);
void write_for_library(char **slots, const struct plan *plan, char *const envp[],
		       const struct region *region, int fd);
/* The environment of a child that cannot take the interposer: the caller's, without our name. */
void write_without_interposer(char **slots, const struct plan *plan, char *const envp[]);
char *append(char *to, const char *text);

/* preload-variable.c */
bool names_own(const char *preload);
char *write_preload(char *to, const char *theirs);
bool write_without_own(char *to, const char *preload);

#endif
