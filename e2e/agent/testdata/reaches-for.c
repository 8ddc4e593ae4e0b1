/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reaches-for ATTEMPT PID`: waits for a line on standard input, reaches for the process in one way, prints how
 * that went and how many seconds it took, and ends. `reaches-for ATTEMPT PID COUNT` repeats it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char buffer[8];

static long vm_readv(pid_t pid)
{
	struct iovec own = { buffer, sizeof(buffer) };

	/* This program's own address: the answer does not matter. */
	return syscall(SYS_process_vm_readv, pid, &own, 1L, &own, 1L, 0L);
}

static long vm_writev(pid_t pid)
{
	struct iovec own = { buffer, sizeof(buffer) };

	return syscall(SYS_process_vm_writev, pid, &own, 1L, &own, 1L, 0L);
}

static long let_go(pid_t pid, long result)
{
	if (result == 0 && waitpid(pid, NULL, __WALL) == pid)
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return result;
}

static long ptrace_attach(pid_t pid)
{
	return let_go(pid, ptrace(PTRACE_ATTACH, pid, NULL, NULL));
}

/* The tracer's end releases it. */
static long ptrace_seize(pid_t pid)
{
	return ptrace(PTRACE_SEIZE, pid, NULL, NULL);
}

/* By the numbers of 32-bit programs, from a program of 64 bits. */
static long ptrace_attach_by_int80(pid_t pid)
{
	long result;

	asm volatile("int $0x80" : "=a"(result)
		     : "a"(26L), "b"((long)PTRACE_ATTACH), "c"((long)pid), "d"(0L), "S"(0L)
		     : "memory", "r8", "r9", "r10", "r11");
	return let_go(pid, result);
}

/* By the numbers of x32, which most kernels refuse after all. */
static long vm_readv_by_x32(pid_t pid)
{
	return syscall(0x40000000 | 539, pid, NULL, 0L, NULL, 0L, 0L);
}

static long pidfd_of(pid_t pid)
{
	return syscall(SYS_pidfd_open, pid, 0);
}

static long pidfd_getfd(pid_t pid)
{
	return syscall(SYS_pidfd_getfd, pidfd_of(pid), 0, 0);
}

static long madvise_process(pid_t pid)
{
	return syscall(SYS_process_madvise, pidfd_of(pid), NULL, 0L, 0L, 0L);
}

/* KCMP_FILE of linux/kcmp.h: is descriptor 0 of both the same? */
static long kcmp_first(pid_t pid)
{
	return syscall(SYS_kcmp, pid, getpid(), 0, 0L, 0L);
}

static long kcmp_second(pid_t pid)
{
	return syscall(SYS_kcmp, getpid(), pid, 0, 0L, 0L);
}

static long perf_open(pid_t pid)
{
	struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attributes) };

	return syscall(SYS_perf_event_open, &attributes, pid, -1, -1, 0L);
}

static long own_memory(pid_t pid)
{
	(void)pid;
	return vm_readv(getpid());
}

static long load_bpf_program(pid_t pid)
{
	union bpf_attr attributes = { 0 };

	(void)pid;
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof(attributes));
}

/* What anyone with a map does. */
static long create_bpf_map(pid_t pid)
{
	union bpf_attr attributes = { 0 };

	(void)pid;
	return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof(attributes));
}

static long load_module(pid_t pid)
{
	(void)pid;
	return syscall(SYS_finit_module, -1, "", 0);
}

static long load_kernel(pid_t pid)
{
	(void)pid;
	return syscall(SYS_kexec_file_load, -1, -1, 0L, NULL, 0L);
}

static long uninvolved(pid_t pid)
{
	(void)pid;
	return syscall(SYS_getppid);
}

static const struct {
	const char *name;
	long (*run)(pid_t pid);
} attempts[] = {
	{ "process_vm_readv", vm_readv },
	{ "process_vm_writev", vm_writev },
	{ "process_vm_readv-by-x32", vm_readv_by_x32 },
	{ "ptrace-attach", ptrace_attach },
	{ "ptrace-seize", ptrace_seize },
	{ "ptrace-attach-by-int80", ptrace_attach_by_int80 },
	{ "pidfd_getfd", pidfd_getfd },
	{ "process_madvise", madvise_process },
	{ "kcmp-first", kcmp_first },
	{ "kcmp-second", kcmp_second },
	{ "perf_event_open", perf_open },
	{ "own-memory", own_memory },
	{ "bpf-program-load", load_bpf_program },
	{ "bpf-map-create", create_bpf_map },
	{ "module-load", load_module },
	{ "kexec", load_kernel },
	{ "getppid", uninvolved },
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static int repeat(long (*run)(pid_t pid), pid_t pid, long count)
{
	double start = seconds();
	long result = 0;
	int error;

	for (long i = 0; i < count; i++)
		result = run(pid);
	error = result < 0 ? errno : 0;
	printf("%s %.9f\n", error ? strerrorname_np(error) : "ok", seconds() - start);
	return 0;
}

int main(int argc, char **argv)
{
	const long count = argc > 3 ? atol(argv[3]) : 1;

	if (argc < 3 || getchar() == EOF)
		return 2;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		if (strcmp(attempts[i].name, argv[1]) == 0)
			return repeat(attempts[i].run, atoi(argv[2]), count);
	return 2;
}
