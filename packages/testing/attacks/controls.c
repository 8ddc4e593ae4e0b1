/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are not attacks, for tests that want the agent to see nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

static char buffer[8];

static long own_memory(const struct prey *prey)
{
	struct iovec own = { buffer, sizeof(buffer) };

	(void)prey;
	return syscall(SYS_process_vm_readv, getpid(), &own, 1L, &own, 1L, 0L) < 0 ? -1 : 0;
}

/* Every process with a map does this. */
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

static long read_byte(const struct prey *prey)
{
	static int zeros = -1;

	(void)prey;
	if (zeros < 0)
		zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return read(zeros, buffer, 1) < 0 ? -1 : 0;
}

static long open_file(const struct prey *prey)
{
	(void)prey;
	return close_again(open("/etc/hostname", O_RDONLY | O_CLOEXEC));
}

/* As container runtimes and network plugins load some: it counts and reads no memory. */
static long load_plain_program(const struct prey *prey)
{
	static const struct bpf_insn program[] = {
		{ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_uid_gid },
		{ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	union bpf_attr attributes = {
		.prog_type = BPF_PROG_TYPE_CGROUP_SOCK_ADDR,
		.expected_attach_type = BPF_CGROUP_INET4_CONNECT,
		.insns = (unsigned long)program,
		.insn_cnt = sizeof(program) / sizeof(program[0]),
		.license = (unsigned long)"GPL",
	};

	(void)prey;
	return close_again(syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof(attributes)));
}

static long map_page(const struct prey *prey)
{
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)prey;
	return page == MAP_FAILED ? -1 : munmap(page, PAGE_BYTES);
}

static long signal_itself(const struct prey *prey)
{
	(void)prey;
	return kill(getpid(), 0);
}

static long run_program(const struct prey *prey)
{
	pid_t child = fork();

	(void)prey;
	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	return waitpid(child, NULL, 0) == child ? 0 : -1;
}

const struct attack controls[] = {
	{ "own-memory", NULL, own_memory },
	{ "bpf-map-create", NULL, create_bpf_map },
	{ "bpf-connect-program", NULL, load_plain_program },
	{ "getppid", NULL, uninvolved },
	{ "read-byte", NULL, read_byte },
	{ "open-file", NULL, open_file },
	{ "map-page", NULL, map_page },
	{ "signal-itself", NULL, signal_itself },
	{ "run-program", NULL, run_program },
	{ 0 },
};
