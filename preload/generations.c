/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets that are replaced while the program runs: docs of the format, and for how long a pointer
 * holds, are in packages/protocol/src/reloadable-region.ts. When the program asks for a variable,
 * the first thread points the environment at the current values. Other threads do not wait, because
 * it may be the code that this thread's signal handler has interrupted.
 */
#include "interposer.h"
#include "system-call.h"

#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096UL
#define SLOTS 3
/* A lifecycle makes at most one generation while the environment changes. */
#define MAX_TRIES 8

/* The last bytes of the mapping. */
struct trailer {
	_Atomic uint64_t generation;
	uint64_t slot_bytes;
	char reserved[15], mark;
};

/* A variable that the program was given, by our own name: it may overwrite its environment. */
struct variable {
	const char *name;
	size_t name_bytes;
	/* The present and the wanted targets of the environment. */
	char *entry, *fresh;
};

static const _Atomic uint64_t never_replaced;
struct generations generations = { .current = &never_replaced };

static size_t slot_bytes;
static struct variable *variables;
static size_t variable_count;
/* The process that changes its environment, or 0. */
static atomic_long follower;

/* Generation 0 stays where it is: programs keep pointers that they took when they started. */
static size_t offset_of(uint64_t generation)
{
	return generation ? (2 - generation % 2) * slot_bytes : 0;
}

static struct region slot_of(uint64_t generation)
{
	struct region slot = { secrets.start + offset_of(generation), slot_bytes };

	while (slot.length && !slot.start[slot.length - 1])
		slot.length--;
	/* With the NUL of the last entry. */
	if (slot.length && slot.length < slot_bytes)
		slot.length++;
	return slot;
}

bool take_generations(struct region *region, size_t mapped)
{
	const struct trailer *trailer = (void *)(region->start + mapped - sizeof(*trailer));
	struct region slot = { region->start, (mapped - PAGE_BYTES) / SLOTS };
	uint64_t generation;

	if (mapped <= PAGE_BYTES || slot.length % PAGE_BYTES ||
	    mapped != SLOTS * slot.length + PAGE_BYTES || slot.length != trailer->slot_bytes)
		return false;
	for (size_t index = 0; index < sizeof(trailer->reserved); index++)
		if (trailer->reserved[index])
			return false;
	generation = atomic_load_explicit(&trailer->generation, memory_order_acquire);
	region->length = SLOTS * slot.length;
	slot_bytes = slot.length;
	slot.start += offset_of(generation);
	if (!is_region(&slot))
		return false;
	generations.current = &trailer->generation;
	generations.followed = generation;
	return true;
}

/* True for a pointer into the pages of the secrets. */
bool is_secret(const char *pointer)
{
	return pointer >= secrets.start && pointer < secrets.start + secrets.length;
}

struct region current_entries(void)
{
	if (!slot_bytes)
		return secrets;
	return slot_of(atomic_load_explicit(generations.current, memory_order_acquire));
}

/* The environment at the start: programs copy it. Empty if nothing is replaced. */
struct region first_entries(void)
{
	return slot_bytes ? slot_of(0) : (struct region){ NULL, 0 };
}

/* The earlier current values: a program may have copied it, too. */
struct region earlier_entries(void)
{
	uint64_t now = atomic_load_explicit(generations.current, memory_order_acquire);

	return slot_bytes && now ? slot_of(now - 1) : (struct region){ NULL, 0 };
}

/* The size of the table of variables that point at secrets; the names follow the table. */
static size_t table_bytes(char **slots)
{
	size_t bytes = 0;

	for (; *slots; slots++)
		if (is_secret(*slots))
			bytes += sizeof(struct variable) + strcspn(*slots, "=");
	return bytes;
}

static size_t count_secrets(char **slots)
{
	size_t count = 0;

	for (; *slots; slots++)
		count += is_secret(*slots);
	return count;
}

/* Remembers the program's values. Without memory for that it is known by the text alone. */
void note_variables(char **slots)
{
	size_t bytes = table_bytes(slots), count = count_secrets(slots);
	long table;
	char *name;

	if (!slot_bytes || !count)
		return;
	table = system_call(SYS_mmap, NULL, bytes, (long)(PROT_READ | PROT_WRITE),
			    (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L, 0L);
	if (table < 0)
		return;
	variables = (struct variable *)table;
	name = (char *)(variables + count);
	for (; *slots; slots++) {
		size_t length = strcspn(*slots, "=");

		if (!is_secret(*slots))
			continue;
		memcpy(name, *slots, length);
		variables[variable_count++] = (struct variable){ name, length, *slots, *slots };
		name += length;
	}
}

/* The process that holds it may be another one, of which this one is a copy (fork). */
static bool try_to_follow(void)
{
	long own = system_call(SYS_getpid), found = 0;

	if (atomic_compare_exchange_strong(&follower, &found, own))
		return true;
	return found != own && atomic_compare_exchange_strong(&follower, &found, own);
}

/*
 * The wanted value of a pointer of the environment. It is known by itself: the text behind it is
 * whole for two
 * generations only, and there may have been no call for longer. One that was not seen here is
 * recent.
 */
static char *fresh_of(const struct region *slot, char *pointer)
{
	for (size_t index = 0; index < variable_count; index++)
		if (variables[index].entry == pointer)
			return variables[index].fresh;
	return entry_of(slot, pointer);
}

static void point_at(const struct region *slot)
{
	for (size_t index = 0; index < variable_count; index++) {
		struct variable *variable = variables + index;
		char *entry = entry_named(slot, variable->name, variable->name_bytes);

		variable->fresh = entry ? entry : variable->entry;
	}
	for (char **at = &environ ? environ : NULL; at && *at; at++) {
		char *pointer = *at, *fresh = is_secret(pointer) ? fresh_of(slot, pointer) : NULL;

		/* Unless the program changes it at this moment: then it is the program's. */
		if (fresh && fresh != pointer)
			__atomic_compare_exchange_n(at, &pointer, fresh, false, __ATOMIC_RELEASE,
						    __ATOMIC_RELAXED);
	}
	for (size_t index = 0; index < variable_count; index++)
		variables[index].entry = variables[index].fresh;
}

/* The pointer is the variable's, in any generation. */
static bool is_of(const struct variable *variable, const char *pointer)
{
	return pointer == variable->entry || pointer == variable->fresh;
}

/* The current value, if the environment has the variable of this name and it is a secret. */
char *current_value(const char *name)
{
	struct region entries = current_entries();
	size_t length = strlen(name);

	for (char **at = &environ ? environ : NULL; at && *at; at++)
		for (size_t index = 0; index < variable_count; index++) {
			const struct variable *variable = variables + index;
			char *entry;

			if (!is_of(variable, *at) || variable->name_bytes != length ||
			    strncmp(variable->name, name, length))
				continue;
			entry = entry_named(&entries, name, length);
			return entry ? entry + length + 1 : NULL;
		}
	return NULL;
}

/* Points the environment at the current generation; false if another thread is about to. */
bool follow_generation(void)
{
	uint64_t now;

	if (is_current())
		return true;
	if (!try_to_follow())
		return false;
	for (int tries = 0; tries < MAX_TRIES && !is_current(); tries++) {
		struct region slot;

		now = atomic_load_explicit(generations.current, memory_order_acquire);
		slot = slot_of(now);
		point_at(&slot);
		atomic_store_explicit(&generations.followed, now, memory_order_release);
	}
	atomic_store(&follower, 0);
	return true;
}
