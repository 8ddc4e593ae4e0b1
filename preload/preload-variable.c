/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LD_PRELOAD of a child: ours comes first if it is handed over, and is not named if it is
 * not.
 */
#include "child-environment.h"

#include <string.h>

/* The length of the first object that LD_PRELOAD names; that is ours if `own` says so. */
static size_t next_object(const char *preload, bool *own)
{
	size_t length = strcspn(preload, " :");

	*own = length == strlen(own_path) && !strncmp(preload, own_path, length);
	return length;
}

bool names_own(const char *preload)
{
	bool own = false;

	while (preload && *preload && !own) {
		preload += next_object(preload, &own);
		preload += *preload ? 1 : 0;
	}
	return own;
}

char *write_preload(char *to, const char *theirs)
{
	to = append(append(to, PRELOAD_VARIABLE), own_path);
	if (theirs && *theirs)
		to = append(append(to, ":"), theirs);
	return to + 1;
}

/* LD_PRELOAD without ours; false if nothing else is in it. */
bool write_without_own(char *to, const char *preload)
{
	char *start = append(to, PRELOAD_VARIABLE);
	bool own;

	for (to = start; *preload; preload += *preload ? 1 : 0) {
		size_t length = next_object(preload, &own);

		if (length && !own) {
			if (to != start)
				*to++ = ':';
			memcpy(to, preload, length);
			to += length;
			*to = 0;
		}
		preload += length;
	}
	return to != start;
}
