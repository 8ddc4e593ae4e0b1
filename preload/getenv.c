/* SPDX-License-Identifier: Apache-2.0 */
/*
 * getenv(3): libc's, once the environment points at the current generation. Called in signal
 * handlers and between fork and exec: nothing here waits.
 */
#define _GNU_SOURCE
#include "interposer.h"

#include <stdlib.h>
#include <string.h>

/* If there is no libc to ask, or none yet. */
char *look_up(const char *name)
{
	size_t length = strlen(name);

	if (&environ && environ)
		for (char **slot = environ; *slot; slot++)
			if (!strncmp(*slot, name, length) && (*slot)[length] == '=')
				return *slot + length + 1;
	return NULL;
}

static char *get(getenv_function *function, const char *name)
{
	bool followed = follow_generation();
	char *value = function(name), *current;

	if (followed || (value && !is_secret(value)))
		return value;
	/*
	 * Another thread, or the code that this handler has interrupted, is about to change the
	 * environment.
	 */
	current = current_value(name);
	return current ? current : value;
}

INTERPOSED char *getenv(const char *name)
{
	if (is_current())
		return next.getenv(name);
	return get(next.getenv, name);
}

INTERPOSED char *secure_getenv(const char *name)
{
	if (is_current())
		return next.secure_getenv(name);
	return get(next.secure_getenv, name);
}
