/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a child: placeholders for its secrets, which are copied from secret
 * page to secret page. Other threads may change the environment meanwhile, as they must not: then
 * no more is written than was planned.
 */
#include "child-environment.h"

#include <string.h>

#define DESCRIPTOR_BYTES 32
/* Threads of musl have 128 KiB. With a larger environment a child gets plain values. */
#define MAX_SCRATCH_BYTES 65536UL

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool is_entry_of(const struct region *region, const char *variable)
{
	const char *entry = entry_of(region, variable);

	return entry && !strcmp(entry, variable);
}

/*
 * The entry of a variable: one that the environment points at, still its placeholder, or a copy,
 * also of a replaced value. The variable is meant, and a child begins with the current value.
 */
static char *secret_of(const struct plan *plan, const char *variable)
{
	char *entry = entry_of(&plan->entries, variable);

	/* Without its name it is not the variable: the program has overwritten it. */
	if (!entry || is_secret(variable))
		return entry;
	if (!strcmp(entry, variable) || !strcmp(strchr(variable, '=') + 1, PLACEHOLDER))
		return entry;
	return is_entry_of(&plan->earlier, variable) || is_entry_of(&plan->first, variable) ? entry
											    : NULL;
}

static size_t key_bytes(const char *entry)
{
	return (size_t)(strchr(entry, '=') - entry) + 1;
}

/* Counts the size of the child's environment; false if it is too large. */
bool plan_environment(struct plan *plan, char *const envp[])
{
	memset(plan, 0, sizeof(*plan));
	plan->entries = current_entries();
	plan->earlier = earlier_entries();
	plan->first = first_entries();
	for (; *envp; envp++) {
		const char *entry = secret_of(plan, *envp);

		plan->variables++;
		if (!plan->preload && starts_with(*envp, PRELOAD_VARIABLE))
			plan->preload = *envp + strlen(PRELOAD_VARIABLE);
		if (!entry)
			continue;
		plan->secrets++;
		plan->region_bytes += strlen(entry) + 1;
		plan->placeholder_bytes += key_bytes(entry) + sizeof(PLACEHOLDER);
	}
	return scratch_bytes(plan) <= MAX_SCRATCH_BYTES;
}

/* Slots for every variable, LD_PRELOAD, SVC_SECRET_FD and the end, and the text of ours. */
size_t scratch_bytes(const struct plan *plan)
{
	return (plan->variables + 3) * sizeof(char *) + plan->placeholder_bytes +
	       sizeof(PRELOAD_VARIABLE) + strlen(own_path) + 2 +
	       (plan->preload ? strlen(plan->preload) : 0) + DESCRIPTOR_BYTES;
}

static char *first_text(char **slots, const struct plan *plan)
{
	return (char *)(slots + plan->variables + 3);
}

char *append(char *to, const char *text)
{
	size_t length = strlen(text);

	memcpy(to, text, length + 1);
	return to + length;
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

/* The places of the next entry and of our next text, and the room for them. */
struct writing {
	const struct region *region;
	char *entry, *text;
	size_t entry_left, text_left;
};

/* Copies the entry into the child's region, once, and returns the variable that stands for it. */
static char *hand_over(struct writing *writing, char *entry)
{
	size_t key = key_bytes(entry), length = strlen(entry) + 1;
	char *placeholder = writing->text;

	if (length > writing->entry_left || key + sizeof(PLACEHOLDER) > writing->text_left)
		return entry;
	if (!entry_of(writing->region, entry)) {
		writing->entry = append(writing->entry, entry) + 1;
		writing->entry_left -= length;
	}
	memcpy(placeholder, entry, key);
	writing->text = append(placeholder + key, PLACEHOLDER) + 1;
	writing->text_left -= key + sizeof(PLACEHOLDER);
	return placeholder;
}

void write_environment(char **slots, const struct plan *plan, char *const envp[],
		       const struct region *region, int fd)
{
	struct writing writing = { region, region->start, first_text(slots, plan),
				   plan->region_bytes, plan->placeholder_bytes };
	bool has_own = names_own(plan->preload);
	char **slot = slots;

	for (size_t left = plan->variables; left && *envp; left--, envp++) {
		char *entry = secret_of(plan, *envp);

		if (entry)
			*slot++ = hand_over(&writing, entry);
		else if (!starts_with(*envp, DESCRIPTOR_VARIABLE) &&
			 (has_own || !starts_with(*envp, PRELOAD_VARIABLE)))
			*slot++ = *envp;
	}
	if (!has_own) {
		*slot++ = writing.text;
		writing.text = write_preload(writing.text, plan->preload);
	}
	*slot++ = writing.text;
	write_descriptor(writing.text, fd);
	*slot = NULL;
}

void write_for_library(char **slots, const struct plan *plan, char *const envp[],
		       const struct region *region, int fd)
{
	struct writing writing = { region, region->start, first_text(slots, plan),
				   plan->region_bytes, plan->placeholder_bytes };
	char *text = writing.text + plan->placeholder_bytes;
	bool more = plan->preload && write_without_own(text, plan->preload);
	char **slot = slots;

	for (size_t left = plan->variables; left && *envp; left--, envp++) {
		char *entry = secret_of(plan, *envp);

		if (entry)
			hand_over(&writing, entry);
		else if (!starts_with(*envp, PRELOAD_VARIABLE)) {
			if (!starts_with(*envp, DESCRIPTOR_VARIABLE))
				*slot++ = *envp;
		} else if (more)
			*slot++ = text;
	}
	*slot++ = more ? text + strlen(text) + 1 : text;
	write_descriptor(slot[-1], fd);
	*slot = NULL;
}

void write_without_interposer(char **slots, const struct plan *plan, char *const envp[])
{
	char *text = first_text(slots, plan);
	bool more = write_without_own(text, plan->preload);

	for (size_t left = plan->variables; left && *envp; left--, envp++) {
		if (!starts_with(*envp, PRELOAD_VARIABLE))
			*slots++ = *envp;
		else if (more)
			*slots++ = text;
	}
	*slots = NULL;
}
