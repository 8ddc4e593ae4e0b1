/* SPDX-License-Identifier: Apache-2.0 */
/* The common parts of all attacks. */
#ifndef SVC_ATTACK_H
#define SVC_ATTACK_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The victim's secrets: in a page of its memory, in one of secret memory, and in its environment.
 */
#define CANARY "svc-attack-canary-7f3a"
#define PAGE_BYTES 4096

struct prey {
	pid_t pid;
	/* The address of the canary; 0 if the victim is not ours. */
	unsigned long address;
	/* Its descriptor of secret memory, or of any file. */
	int descriptor;
};

/* A command with more bits than the kernel takes of an int: the same command to it. */
#define WIDE(command) ((command) | 1L << 32)

/* An attack on the kernel has no prey. */
#define UNUSED(prey) ((void)(prey))

struct attack {
	const char *name;
	/* The work before the victim is protected; NULL for none. */
	void (*prepare)(const struct prey *prey);
	/* -1 with errno, or how many bytes of the canary it has. */
	long (*run)(const struct prey *prey);
};

/* Ends with the entry without a name. */
extern const struct attack memory_attacks[], file_attacks[], ptrace_attacks[], compat_attacks[],
	call_attacks[], descriptor_attacks[], ring_attacks[], quiet_ring_attacks[], core_attacks[],
	kernel_attacks[], transfer_attacks[], program_attacks[], perf_attacks[],
	accomplice_attacks[], child_attacks[], tamper_attacks[], controls[];

/*
 * Attackers put the bytes that they read here: it outlives an attacker that is killed while it
 * reads.
 */
#define LOOT_BYTES (1 << 16)
extern char *loot;

/* Set when the attacker is gone, for its helpers. */
extern volatile int *is_over;

/* How many bytes of these are the canary's. */
long canary_bytes(const char *bytes, size_t length);

/* Opens a file of the process; its name may have a slash in it. */
int open_of(pid_t pid, const char *name, int flags);

int pidfd_of(pid_t pid);

/* Reads the canary by a descriptor of its /proc/PID/mem, which may be -1. */
long read_memory_and_close(int fd, const struct prey *prey);

/* Closes it and keeps errno. Returns 0, or -1 for the descriptor -1. */
long close_again(int fd);

/* Does it often, by a process each, and prints how that went; how often it succeeded. */
long campaign(const struct attack *attack, const struct prey *prey, long count);

/* Opens, reads and says the result, as `svc-attack --relative-mem ADDRESS` does. */
int read_relative_memory(const char *address);

/* Reads a byte of the file, as `svc-attack --read WAY FILE` does. */
int read_in_way(const char *way, const char *path);

/* Obeys the letters on standard input; ends with them. */
int be_victim(char **argv);

/* A connection to a victim, which obeys letters; -1 if it does not listen. */
int ask_victim(pid_t pid, char letter);

#endif
