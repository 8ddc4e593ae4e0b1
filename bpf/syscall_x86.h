/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* System calls of x86 by number: arch/x86/entry/syscalls/syscall_64.tbl and syscall_32.tbl. */
#ifndef SVC_SYSCALL_X86_H
#define SVC_SYSCALL_X86_H

/* Not of an event: execve, by which a thread may take its leader's place. */
#define SVC_KIND_EXEC 255
/* Nor: open, creat, openat, openat2, whose result is looked at when they are over. */
#define SVC_KIND_OPEN 254

/* arch/x86/include/uapi/asm/unistd.h and arch/x86/include/asm/thread_info.h */
#define X32_SYSCALL_BIT 0x40000000
#define TS_COMPAT 0x0002

#define PTRACE_TRACEME 0
#define PTRACE_ATTACH 16
#define PTRACE_SEIZE 0x4206
#define BPF_PROG_LOAD_COMMAND 5

struct call {
	struct pt_regs *regs;
	int number;
	__u8 abi;
	__u8 kind;
};


/*
 * Tables, for they are looked into at every system call of the machine. X32 has some numbers of its own among those of
 * 64 bits.
 */
#define SYSCALLS 576

static const volatile __u8 native_kinds[SYSCALLS] SEC(".rodata.calls") = {
	[59] = SVC_KIND_EXEC, [322] = SVC_KIND_EXEC, [520] = SVC_KIND_EXEC, [545] = SVC_KIND_EXEC,
	[101] = SVC_KIND_PTRACE, [521] = SVC_KIND_PTRACE,
	[310] = SVC_KIND_VM_READ, [539] = SVC_KIND_VM_READ,
	[311] = SVC_KIND_VM_WRITE, [540] = SVC_KIND_VM_WRITE,
	[438] = SVC_KIND_PIDFD_GETFD,
	[312] = SVC_KIND_KCMP,
	[440] = SVC_KIND_MADVISE,
	[298] = SVC_KIND_PERF_OPEN,
	[279] = SVC_KIND_MOVE_PAGES, [533] = SVC_KIND_MOVE_PAGES,
	[256] = SVC_KIND_MIGRATE_PAGES,
	[274] = SVC_KIND_ROBUST_LIST, [531] = SVC_KIND_ROBUST_LIST,
	[308] = SVC_KIND_SETNS,
	[302] = SVC_KIND_CORE_LIMIT,
	[321] = SVC_KIND_BPF_LOAD,
	[175] = SVC_KIND_MODULE_LOAD, [313] = SVC_KIND_MODULE_LOAD,
	[246] = SVC_KIND_KEXEC, [320] = SVC_KIND_KEXEC, [528] = SVC_KIND_KEXEC,
	[2] = SVC_KIND_OPEN, [85] = SVC_KIND_OPEN, [257] = SVC_KIND_OPEN, [437] = SVC_KIND_OPEN,
};

static const volatile __u8 compat_kinds[SYSCALLS] SEC(".rodata.calls") = {
	[11] = SVC_KIND_EXEC, [358] = SVC_KIND_EXEC,
	[26] = SVC_KIND_PTRACE,
	[347] = SVC_KIND_VM_READ,
	[348] = SVC_KIND_VM_WRITE,
	[438] = SVC_KIND_PIDFD_GETFD,
	[349] = SVC_KIND_KCMP,
	[440] = SVC_KIND_MADVISE,
	[336] = SVC_KIND_PERF_OPEN,
	[317] = SVC_KIND_MOVE_PAGES,
	[294] = SVC_KIND_MIGRATE_PAGES,
	[312] = SVC_KIND_ROBUST_LIST,
	[346] = SVC_KIND_SETNS,
	[340] = SVC_KIND_CORE_LIMIT,
	[357] = SVC_KIND_BPF_LOAD,
	[128] = SVC_KIND_MODULE_LOAD, [350] = SVC_KIND_MODULE_LOAD,
	[283] = SVC_KIND_KEXEC,
	[5] = SVC_KIND_OPEN, [8] = SVC_KIND_OPEN, [295] = SVC_KIND_OPEN, [437] = SVC_KIND_OPEN,
};

static __always_inline __u64 first_argument(const struct call *call)
{
	return call->abi == SVC_ABI_COMPAT ? (__u32)call->regs->bx : call->regs->di;
}

static __always_inline __u64 second_argument(const struct call *call)
{
	return call->abi == SVC_ABI_COMPAT ? (__u32)call->regs->cx : call->regs->si;
}

static __always_inline __u64 third_argument(const struct call *call)
{
	return call->regs->dx;
}

static __always_inline int is_compat(void)
{
	return bpf_get_current_task_btf()->thread_info.status & TS_COMPAT;
}

/* True where the call is one that somebody watches. It runs at every system call of the machine. */
static __always_inline int recognise(struct call *call, unsigned long id)
{
	unsigned long number = id & ~X32_SYSCALL_BIT;

	if (number >= SYSCALLS || !(native_kinds[number] | compat_kinds[number]))
		return 0;
	call->number = number;
	if (is_compat()) {
		call->abi = SVC_ABI_COMPAT;
		call->kind = compat_kinds[number];
	} else {
		call->abi = id & X32_SYSCALL_BIT ? SVC_ABI_X32 : SVC_ABI_NATIVE;
		call->kind = native_kinds[number];
	}
	return call->kind != SVC_KIND_NONE;
}

#endif
