/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a child gets instead of the values in its environment: a region of its own with those that it
 * was meant to have, and placeholders. Called between fork and exec, and in the memory of a parent that
 * waits in vfork: no malloc, no lock, nothing written that outlives the call. An exec that succeeds does
 * not return, so what it needs is on the stack: memory that was mapped would stay with the parent.
 */
#include "interposer.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096UL
#define MAX_VARIABLES 100000
#define MAX_PRELOAD_BYTES 65536
#define DESCRIPTOR_BYTES 32
/* Threads of musl have 128 KiB. A larger environment is mapped. */
#define MAX_STACK_BYTES 32768UL

struct plan {
	/* Variables in all, and those that are secrets. */
	size_t variables, secrets;
	/* What the child's region takes, and its placeholders. */
	size_t region_bytes, placeholder_bytes;
	/* The value of LD_PRELOAD, where the child has one. */
	const char *preload;
};

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* The entry of the region that a variable is: unchanged, or still its placeholder. */
static char *secret_of(const char *variable)
{
	char *entry;

	if (variable >= secrets.start && variable < secrets.start + secrets.length)
		return (char *)variable;
	entry = entry_of(&secrets, variable);
	if (!entry)
		return NULL;
	if (!strcmp(entry, variable) || !strcmp(strchr(variable, '=') + 1, PLACEHOLDER))
		return entry;
	return NULL;
}

static size_t key_bytes(const char *entry)
{
	return (size_t)(strchr(entry, '=') - entry) + 1;
}

static bool make_plan(struct plan *plan, char *const envp[])
{
	memset(plan, 0, sizeof(*plan));
	for (; *envp; envp++) {
		const char *entry = secret_of(*envp);

		if (++plan->variables > MAX_VARIABLES)
			return false;
		if (starts_with(*envp, PRELOAD_VARIABLE))
			plan->preload = *envp + strlen(PRELOAD_VARIABLE);
		if (!entry)
			continue;
		plan->secrets++;
		plan->region_bytes += strlen(entry) + 1;
		plan->placeholder_bytes += key_bytes(entry) + sizeof(PLACEHOLDER);
	}
	return plan->secrets && (!plan->preload || strlen(plan->preload) < MAX_PRELOAD_BYTES);
}

static size_t to_pages(size_t bytes)
{
	return (bytes + PAGE_BYTES) / PAGE_BYTES * PAGE_BYTES;
}

/* True where ours is one of the objects that LD_PRELOAD names. */
static bool names_own(const char *preload)
{
	size_t own = strlen(own_path);

	while (preload && *preload) {
		size_t length = strcspn(preload, " :");

		if (length == own && !strncmp(preload, own_path, own))
			return true;
		preload += length + (preload[length] ? 1 : 0);
	}
	return false;
}

static char *append(char *to, const char *text)
{
	size_t length = strlen(text);

	memcpy(to, text, length + 1);
	return to + length;
}

static char *write_preload(char *to, const char *theirs)
{
	to = append(append(to, PRELOAD_VARIABLE), own_path);
	if (theirs && *theirs)
		to = append(append(to, ":"), theirs);
	return to + 1;
}

static char *write_descriptor(char *to, int fd)
{
	char digits[12];
	int at = sizeof(digits);

	digits[--at] = 0;
	do
		digits[--at] = '0' + fd % 10;
	while (fd /= 10);
	return append(append(to, DESCRIPTOR_VARIABLE), digits + at) + 1;
}

/* Where the next entry and the next text of ours go. */
struct writing {
	struct region region;
	char *entry, *text;
};

/* Copies the entry into the child's region, once, and returns the variable that stands for it. */
static char *hand_over(struct writing *writing, const char *entry)
{
	char *placeholder = writing->text;

	if (!entry_of(&writing->region, entry))
		writing->entry = append(writing->entry, entry) + 1;
	memcpy(placeholder, entry, key_bytes(entry));
	writing->text = append(placeholder + key_bytes(entry), PLACEHOLDER) + 1;
	return placeholder;
}

static void write_environment(struct writing *writing, const struct plan *plan, char **slot,
			      char *const envp[], int fd)
{
	bool has_own = names_own(plan->preload);

	for (; *envp; envp++) {
		char *entry = secret_of(*envp);

		if (entry)
			*slot++ = hand_over(writing, entry);
		else if (!starts_with(*envp, DESCRIPTOR_VARIABLE) &&
			 (has_own || !starts_with(*envp, PRELOAD_VARIABLE)))
			*slot++ = *envp;
	}
	if (!has_own) {
		*slot++ = writing->text;
		writing->text = write_preload(writing->text, plan->preload);
	}
	*slot++ = writing->text;
	write_descriptor(writing->text, fd);
	*slot = NULL;
}

/* Slots for every variable, LD_PRELOAD, SVC_SECRET_FD and the end, and the text of ours. */
static size_t scratch_bytes(const struct plan *plan)
{
	return (plan->variables + 3) * sizeof(char *) + plan->placeholder_bytes +
	       sizeof(PRELOAD_VARIABLE) + strlen(own_path) + 2 +
	       (plan->preload ? strlen(plan->preload) : 0) + DESCRIPTOR_BYTES;
}

/* Makes the child's region and environment; returns the descriptor of the region, or -1. */
static int fill(char **slots, const struct plan *plan, char *const envp[])
{
	struct writing writing = { .text = (char *)(slots + plan->variables + 3) };
	int fd;

	writing.region.length = to_pages(plan->region_bytes);
	fd = make_region(writing.region.length, &writing.region.start);
	if (fd < 0)
		return -1;
	writing.entry = writing.region.start;
	write_environment(&writing, plan, slots, envp, fd);
	munmap(writing.region.start, writing.region.length);
	return fd;
}

static bool hides(struct plan *plan, const char *path, char *const envp[])
{
	return secrets.start && own_path && path && envp && make_plan(plan, envp) &&
	       can_take(path, 0) && !syscall(SYS_faccessat, AT_FDCWD, own_path, R_OK);
}

/*
 * Calls `go` with the environment for the child that it starts: placeholders and a region, or, where
 * there is nothing to hide or nothing can be hidden, what the caller gave. Keeps the errno of `go`.
 */
int launch(const char *path, char *const envp[], launch_function *go, const void *arguments)
{
	struct plan plan;
	size_t bytes;
	char **slots;
	int fd, result, error;

	if (!hides(&plan, path, envp))
		return go(arguments, envp);
	bytes = scratch_bytes(&plan);
	slots = bytes <= MAX_STACK_BYTES ? alloca(bytes)
					 : mmap(NULL, bytes, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slots == MAP_FAILED)
		return go(arguments, envp);
	fd = fill(slots, &plan, envp);
	result = go(arguments, fd < 0 ? envp : slots);
	error = errno;
	if (fd >= 0)
		syscall(SYS_close, fd);
	if (bytes > MAX_STACK_BYTES)
		munmap(slots, bytes);
	errno = error;
	return result;
}
