/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways to reach for a process have in common. */
#ifndef SVC_ATTACK_H
#define SVC_ATTACK_H

#include <stddef.h>
#include <sys/types.h>

/* What the victim holds: in a page of its memory, in one of secret memory, and in its environment. */
#define CANARY "svc-attack-canary-7f3a"
#define PAGE_BYTES 4096

struct prey {
	pid_t pid;
	/* Where the canary is; 0 where the victim is not ours. */
	unsigned long address;
	/* Its descriptor of secret memory, or of any file. */
	int descriptor;
};

struct attack {
	const char *name;
	/* What is done before the victim is protected; NULL where there is nothing. */
	void (*prepare)(const struct prey *prey);
	/* -1 with errno, or how many bytes of the canary it has. */
	long (*run)(const struct prey *prey);
};

/* Ends with the entry without a name. */
extern const struct attack memory_attacks[], file_attacks[], ptrace_attacks[], call_attacks[],
	descriptor_attacks[], ring_attacks[], core_attacks[], kernel_attacks[], controls[];

/* How many bytes of these are the canary's. */
long canary_bytes(const char *bytes, size_t length);

/* Opens a file of the process; its name may have a slash in it. */
int open_of(pid_t pid, const char *name, int flags);

int pidfd_of(pid_t pid);

/* Closes it and keeps errno. 0, or -1 of a descriptor that is none. */
long close_again(int fd);

/* Does what the letters on standard input say; ends with them. */
int be_victim(char **argv);

#endif
