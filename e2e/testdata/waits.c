// SPDX-License-Identifier: Apache-2.0
/* waits: prints "ready" and waits for a signal that ends it. */
#include <unistd.h>

int main(void)
{
	if (write(1, "ready\n", 6) != 6)
		return 2;
	for (;;)
		pause();
}
