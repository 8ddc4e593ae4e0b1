/* SPDX-License-Identifier: Apache-2.0 */
/* What is nobody's business: no attacks, for tests that want none to be seen. */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attack.h"

static char buffer[8];

static long own_memory(const struct prey *prey)
{
	struct iovec own = { buffer, sizeof(buffer) };

	(void)prey;
	return syscall(SYS_process_vm_readv, getpid(), &own, 1L, &own, 1L, 0L) < 0 ? -1 : 0;
}

/* What anyone with a map does. */
static long create_bpf_map(const struct prey *prey)
{
	union bpf_attr attributes = { 0 };

	(void)prey;
	return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof(attributes));
}

static long uninvolved(const struct prey *prey)
{
	(void)prey;
	syscall(SYS_getppid);
	return 0;
}

const struct attack controls[] = {
	{ "own-memory", NULL, own_memory },
	{ "bpf-map-create", NULL, create_bpf_map },
	{ "getppid", NULL, uninvolved },
	{ 0 },
};
