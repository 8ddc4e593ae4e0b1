// SPDX-License-Identifier: Apache-2.0
/* ignores-sigterm: prints "ready" and stays, also after a SIGTERM. */
#include <signal.h>
#include <unistd.h>

int main(void)
{
	signal(SIGTERM, SIG_IGN);
	if (write(1, "ready\n", 6) != 6)
		return 2;
	for (;;)
		pause();
}
