/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of the kernel, and reads of its memory. Nothing goes through: the loaded parts are empty.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

static long bpf_program(const struct prey *prey)
{
	union bpf_attr attributes = { 0 };

	UNUSED(prey);
	return syscall(SYS_bpf, WIDE(BPF_PROG_LOAD), &attributes, sizeof(attributes));
}

/* A file that is not a module. */
static long module_file(const struct prey *prey)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	long result = syscall(SYS_finit_module, fd, "", 0);

	UNUSED(prey);
	close_again(fd);
	return result;
}

static long module_memory(const struct prey *prey)
{
	static char image[PAGE_BYTES];

	UNUSED(prey);
	return syscall(SYS_init_module, image, sizeof(image), "");
}

#ifdef __aarch64__

/*
 * Debian's kernels of arm64 have the older call only. It takes 16 segments (linux/kexec.h), so that
 * nothing is loaded.
 */
static long next_kernel(const struct prey *prey)
{
	UNUSED(prey);
	return syscall(SYS_kexec_load, 0L, 17L, NULL, 0L);
}

#else

static long next_kernel(const struct prey *prey)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	/* KEXEC_FILE_NO_INITRAMFS of linux/kexec.h */
	long result = syscall(SYS_kexec_file_load, fd, -1, 0L, NULL, 4L);

	UNUSED(prey);
	close_again(fd);
	return result;
}

#endif

static long open_kernel(const char *path, int flags)
{
	return close_again(open(path, flags));
}

#define OPENS(function, path, flags)                           \
	static long function(const struct prey *prey)          \
	{                                                      \
		UNUSED(prey);                                  \
		return open_kernel(path, flags);               \
	}

OPENS(machine_memory, "/dev/mem", O_RDONLY)
OPENS(kernel_core, "/proc/kcore", O_RDONLY)
OPENS(machine_ports, "/dev/port", O_RDONLY)
OPENS(core_pattern, "/proc/sys/kernel/core_pattern", O_WRONLY)
OPENS(perf_paranoid, "/proc/sys/kernel/perf_event_paranoid", O_WRONLY)
OPENS(ftrace_switch, "/proc/sys/kernel/ftrace_enabled", O_WRONLY)
OPENS(kprobes_switch, "/sys/kernel/debug/kprobes/enabled", O_WRONLY)
OPENS(uprobe_events, "/sys/kernel/tracing/uprobe_events", O_WRONLY | O_APPEND)
OPENS(kprobe_events, "/sys/kernel/tracing/kprobe_events", O_WRONLY | O_APPEND)

/* No swap space: a device that is not a disk. */
static long swap_space(const struct prey *prey)
{
	UNUSED(prey);
	return swapon("/dev/null", 0);
}

/* Its beginning has the places of everything. */
static long read_kernel_core(const struct prey *prey)
{
	int fd = open("/proc/kcore", O_RDONLY);
	long length = fd < 0 ? -1 : read(fd, loot, PAGE_BYTES);

	UNUSED(prey);
	close_again(fd);
	return length < 0 ? -1 : 0;
}

const struct attack kernel_attacks[] = {
	{ "bpf-program-load", NULL, bpf_program },
	{ "module-load", NULL, module_file },
	{ "module-load-memory", NULL, module_memory },
	{ "kexec", NULL, next_kernel },
	{ "swap-on", NULL, swap_space },
	{ "dev-mem", NULL, machine_memory },
	{ "dev-port", NULL, machine_ports },
	{ "kcore", NULL, kernel_core },
	{ "kcore-read", NULL, read_kernel_core },
	{ "core-pattern", NULL, core_pattern },
	{ "perf-paranoid", NULL, perf_paranoid },
	{ "ftrace-switch", NULL, ftrace_switch },
	{ "kprobes-switch", NULL, kprobes_switch },
	{ "uprobe-events", NULL, uprobe_events },
	{ "kprobe-events", NULL, kprobe_events },
	{ 0 },
};
