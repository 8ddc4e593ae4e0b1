/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a child gets instead of the values in its environment: a region of its own with those that it
 * was meant to have, and placeholders. Called between fork and exec, and in the memory of a parent that
 * waits in vfork: no malloc, no lock, nothing written that outlives the call but the scratch memory.
 */
#include "interposer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096UL
#define MAX_VARIABLES 100000
#define MAX_PRELOAD_BYTES 65536
#define DESCRIPTOR_BYTES 32

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

/* Copies the entry into the child's region and returns the variable that stands for it. */
static char *hand_over(const char *entry, char **region, char **text)
{
	char *placeholder = *text;

	*region = append(*region, entry) + 1;
	memcpy(placeholder, entry, key_bytes(entry));
	*text = append(placeholder + key_bytes(entry), PLACEHOLDER) + 1;
	return placeholder;
}

static void write_environment(struct child *child, const struct plan *plan, char *const envp[],
			      char *region)
{
	char **slot = child->envp;
	char *text = (char *)(child->envp + plan->variables + 3);
	bool has_own = names_own(plan->preload);

	for (; *envp; envp++) {
		char *entry = secret_of(*envp);

		if (entry)
			*slot++ = hand_over(entry, &region, &text);
		else if (!starts_with(*envp, DESCRIPTOR_VARIABLE) &&
			 (has_own || !starts_with(*envp, PRELOAD_VARIABLE)))
			*slot++ = *envp;
	}
	if (!has_own) {
		*slot++ = text;
		text = write_preload(text, plan->preload);
	}
	*slot++ = text;
	write_descriptor(text, child->fd);
	*slot = NULL;
}

/*
 * True where the child shall get `child->envp` and inherits `child->fd`. False where there is nothing
 * to hide, or nothing can be hidden: it then gets what it would get without the interposer.
 */
bool prepare_child(struct child *child, const char *path, char *const envp[])
{
	struct plan plan;
	size_t bytes, region_length;
	char *region;

	if (!secrets.start || !envp || !path || !make_plan(&plan, envp) || !can_take(path, 0) ||
	    syscall(SYS_faccessat, -100, own_path, R_OK) < 0)
		return false;
	bytes = (plan.variables + 3) * sizeof(char *) + plan.placeholder_bytes + DESCRIPTOR_BYTES +
		sizeof(PRELOAD_VARIABLE) + strlen(own_path) + 2 +
		(plan.preload ? strlen(plan.preload) : 0);
	child->scratch_length = to_pages(bytes);
	child->scratch = mmap(NULL, child->scratch_length, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (child->scratch == MAP_FAILED)
		return false;
	region_length = to_pages(plan.region_bytes);
	child->fd = make_region(region_length, &region);
	if (child->fd < 0) {
		munmap(child->scratch, child->scratch_length);
		return false;
	}
	child->envp = child->scratch;
	write_environment(child, &plan, envp, region);
	munmap(region, region_length);
	return true;
}

/* Where the child has what it needs, or will not be. Keeps errno. */
void forget_child(struct child *child)
{
	int *place = __errno_location();
	int before = *place;

	syscall(SYS_close, child->fd);
	munmap(child->scratch, child->scratch_length);
	*place = before;
}
