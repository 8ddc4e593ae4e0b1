// SPDX-License-Identifier: Apache-2.0
/* A library that says that it was loaded. */
#include <unistd.h>

__attribute__((constructor)) static void say(void)
{
	static const char text[] = "steered\n";

	if (write(1, text, sizeof(text) - 1) < 0)
		_exit(1);
}
