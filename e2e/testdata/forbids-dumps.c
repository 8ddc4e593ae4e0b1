// SPDX-License-Identifier: Apache-2.0
/*
 * forbids-dumps: has the kernel refuse ptrace and dumps of it, prints "ready" and waits for a
 * signal.
 */
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || write(1, "ready\n", 6) != 6)
		return 2;
	for (;;)
		pause();
}
