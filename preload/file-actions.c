/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File actions of posix_spawn, with one more at their end: the region's descriptor gets the number
 * that the child knows, in the child only. A copy that the caller never sees, on the stack; the C
 * libraries' own functions for it allocate, and no function lists the actions.
 */
#define _GNU_SOURCE
#include "interposer.h"

#include <string.h>

#define MAX_ACTIONS 4096
#define MAX_EXTENDED_BYTES 65536UL
#define FIRST_FREE_FD 100
#define LAST_STANDARD_FD 2

/* The kinds that both libraries number differently. */
enum kind { CLOSE, DUPLICATE, OPEN, MOVE, MOVE_TO, CLOSE_FROM, SET_TERMINAL, UNKNOWN };

struct action {
	enum kind kind;
	/* Descriptors that it names; -1 for none. */
	int fd, other;
};

/* posix/spawn_int.h of glibc; new kinds come at the end. */
struct glibc_action {
	int tag;
	union {
		int fds[2];
		struct {
			int fd;
			char *path;
			int flags;
			mode_t mode;
		} open;
	};
};

struct glibc_actions {
	int allocated, used;
	struct glibc_action *list;
};

/* src/process/fdop.h of musl: the last action is the first in the list. */
struct musl_action {
	struct musl_action *next, *prev;
	int command, fd, source, flags;
	mode_t mode;
	char path[];
};

struct musl_actions {
	int padding[2];
	struct musl_action *last;
};

static struct action read_glibc(const struct glibc_action *from)
{
	static const enum kind kinds[] = { CLOSE,   DUPLICATE,	OPEN,	     MOVE,
					   MOVE_TO, CLOSE_FROM, SET_TERMINAL };
	struct action action = { UNKNOWN, -1, -1 };

	if (from->tag < 0 || from->tag >= (int)(sizeof(kinds) / sizeof(*kinds)))
		return action;
	action.kind = kinds[from->tag];
	if (action.kind != MOVE)
		action.fd = from->fds[0];
	if (action.kind == DUPLICATE)
		action.other = from->fds[1];
	return action;
}

static struct action read_musl(const struct musl_action *from)
{
	static const enum kind kinds[] = { UNKNOWN, CLOSE, DUPLICATE, OPEN, MOVE, MOVE_TO };
	struct action action = { UNKNOWN, -1, -1 };

	if (from->command < 0 || from->command >= (int)(sizeof(kinds) / sizeof(*kinds)))
		return action;
	action.kind = kinds[from->command];
	if (action.kind != MOVE)
		action.fd = from->fd;
	if (action.kind == DUPLICATE)
		action.other = from->source;
	return action;
}

static const struct musl_action *first_of_musl(const struct musl_actions *actions)
{
	const struct musl_action *action = actions->last;

	while (action && action->next)
		action = action->next;
	return action;
}

static bool plan_action(const struct action *action, struct file_plan *plan)
{
	if (action->kind == UNKNOWN)
		return false;
	/* The child's number is taken once more. */
	if (plan->number >= 0 && (action->fd == plan->number || action->other == plan->number))
		return false;
	if (action->kind == CLOSE_FROM) {
		if (plan->number >= 0 || action->fd <= LAST_STANDARD_FD)
			return false;
		plan->number = action->fd;
	}
	if (action->kind == MOVE || action->kind == MOVE_TO)
		plan->moves = true;
	/* Actions that close the region's own descriptor are left out. */
	if (action->kind == CLOSE)
		return true;
	if (action->fd >= plan->least)
		plan->least = action->fd + 1;
	if (action->other >= plan->least)
		plan->least = action->other + 1;
	return true;
}

static bool plan_glibc(const struct glibc_actions *actions, struct file_plan *plan)
{
	if (actions->used < 0 || actions->used > actions->allocated || actions->used > MAX_ACTIONS)
		return false;
	for (int index = 0; index < actions->used; index++) {
		struct action action = read_glibc(actions->list + index);

		if (!plan_action(&action, plan))
			return false;
	}
	return true;
}

static bool plan_musl(const struct musl_actions *actions, struct file_plan *plan)
{
	for (const struct musl_action *at = first_of_musl(actions); at; at = at->prev) {
		struct action action = read_musl(at);

		if (!plan_action(&action, plan))
			return false;
	}
	return true;
}

/* False if they cannot be understood, or leave no way to hand a descriptor to the child. */
bool plan_actions(const posix_spawn_file_actions_t *actions, struct file_plan *plan)
{
	*plan = (struct file_plan){ .least = FIRST_FREE_FD, .number = -1 };
	if (!actions)
		return true;
	return (next.is_glibc ? plan_glibc((const void *)actions, plan)
			      : plan_musl((const void *)actions, plan)) &&
	       extended_bytes(actions) <= MAX_EXTENDED_BYTES;
}

static size_t musl_bytes(const struct musl_action *action)
{
	enum kind kind = read_musl(action).kind;

	return sizeof(*action) + (kind == OPEN || kind == MOVE ? strlen(action->path) + 1 : 0);
}

static size_t aligned(size_t bytes)
{
	size_t align = _Alignof(struct musl_action);

	return (bytes + align - 1) / align * align;
}

/* The room that the extended actions take. */
size_t extended_bytes(const posix_spawn_file_actions_t *actions)
{
	const struct glibc_actions *glibc = (const void *)actions;
	size_t bytes = sizeof(struct musl_action);

	if (next.is_glibc)
		return ((actions ? glibc->used : 0) + 2) * sizeof(struct glibc_action);
	if (!actions)
		return bytes;
	for (const struct musl_action *at = first_of_musl((const void *)actions); at; at = at->prev)
		bytes += aligned(musl_bytes(at));
	return bytes;
}

static struct glibc_action duplicate(int from, int to)
{
	return (struct glibc_action){ .tag = DUPLICATE, .fds = { from, to } };
}

static void extend_glibc(const struct glibc_actions *actions, const struct handed *handed,
			 struct glibc_action *to, struct glibc_actions *extended)
{
	bool done = false;

	extended->list = to;
	for (int index = 0; actions && index < actions->used; index++) {
		struct action action = read_glibc(actions->list + index);

		if (action.kind == CLOSE && action.fd == handed->fd)
			continue;
		/* All from there on, except for the first, which is the child's. */
		if (action.kind == CLOSE_FROM) {
			*to++ = duplicate(handed->fd, handed->number);
			done = true;
		}
		*to = actions->list[index];
		if (action.kind == CLOSE_FROM)
			to->fds[0]++;
		to++;
	}
	if (!done)
		*to++ = duplicate(handed->fd, handed->number);
	extended->used = extended->allocated = (int)(to - extended->list);
}

/* Puts the action that is at `to` behind those before it. */
static void link_musl(struct musl_actions *extended, struct musl_action *to)
{
	to->next = extended->last;
	to->prev = NULL;
	if (extended->last)
		extended->last->prev = to;
	extended->last = to;
}

static void extend_musl(const struct musl_actions *actions, const struct handed *handed,
			char *to, struct musl_actions *extended)
{
	const struct musl_action *at = actions ? first_of_musl(actions) : NULL;
	struct musl_action *last;

	extended->last = NULL;
	for (; at; at = at->prev) {
		struct action action = read_musl(at);

		if (action.kind == CLOSE && action.fd == handed->fd)
			continue;
		memcpy(to, at, musl_bytes(at));
		link_musl(extended, (struct musl_action *)to);
		to += aligned(musl_bytes(at));
	}
	last = (struct musl_action *)to;
	*last = (struct musl_action){ .command = 2, .fd = handed->number, .source = handed->fd };
	link_musl(extended, last);
}

/* Extends planned actions: the child gets the descriptor under its number. `room` is their size. */
void extend_actions(const posix_spawn_file_actions_t *actions, const struct handed *handed,
		    void *room, posix_spawn_file_actions_t *extended)
{
	memset(extended, 0, sizeof(*extended));
	if (next.is_glibc)
		extend_glibc((const void *)actions, handed, room, (void *)extended);
	else
		extend_musl((const void *)actions, handed, room, (void *)extended);
}
