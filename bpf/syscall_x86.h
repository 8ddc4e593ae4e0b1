/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* System calls of x86 by number: arch/x86/entry/syscalls/syscall_64.tbl and syscall_32.tbl. */
#ifndef SVC_SYSCALL_X86_H
#define SVC_SYSCALL_X86_H

/* Not of an event: execve, by which a thread may take its leader's place. */
#define SVC_KIND_EXEC 255
/* Nor: open, creat, openat, openat2, whose result is looked at when they are over. */
#define SVC_KIND_OPEN 254
/* Nor what is watched only to be stopped: the use of a descriptor, its mapping, a signal. */
#define SVC_KIND_USE 253
#define SVC_KIND_MAP 252
#define SVC_KIND_SIGNAL 251

/* arch/x86/include/uapi/asm/unistd.h and arch/x86/include/asm/thread_info.h */
#define X32_SYSCALL_BIT 0x40000000
#define TS_COMPAT 0x0002

#define PTRACE_TRACEME 0
#define PTRACE_ATTACH 16
#define PTRACE_SEIZE 0x4206
#define BPF_PROG_LOAD_COMMAND 5
#define PIDFD_SEND_SIGNAL 424
#define IO_URING_ENTER 426
#define SWAPON 167
#define COMPAT_SWAPON 87

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
	[SWAPON] = SVC_KIND_SWAP_SPACE,
	[246] = SVC_KIND_KEXEC, [320] = SVC_KIND_KEXEC, [528] = SVC_KIND_KEXEC,
	[2] = SVC_KIND_OPEN, [85] = SVC_KIND_OPEN, [257] = SVC_KIND_OPEN, [437] = SVC_KIND_OPEN,
	/* read, write, and those with a place or with several pieces */
	[0] = SVC_KIND_USE, [1] = SVC_KIND_USE, [17] = SVC_KIND_USE, [18] = SVC_KIND_USE,
	[19] = SVC_KIND_USE, [20] = SVC_KIND_USE, [295] = SVC_KIND_USE, [296] = SVC_KIND_USE,
	[327] = SVC_KIND_USE, [328] = SVC_KIND_USE, [515] = SVC_KIND_USE, [516] = SVC_KIND_USE,
	[534] = SVC_KIND_USE, [535] = SVC_KIND_USE, [546] = SVC_KIND_USE, [547] = SVC_KIND_USE,
	/* sendfile, splice, copy_file_range */
	[40] = SVC_KIND_USE, [275] = SVC_KIND_USE, [326] = SVC_KIND_USE,
	[9] = SVC_KIND_MAP,
	/* kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal */
	[62] = SVC_KIND_SIGNAL, [200] = SVC_KIND_SIGNAL, [234] = SVC_KIND_SIGNAL,
	[129] = SVC_KIND_SIGNAL, [524] = SVC_KIND_SIGNAL, [297] = SVC_KIND_SIGNAL,
	[536] = SVC_KIND_SIGNAL, [424] = SVC_KIND_SIGNAL,
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
	[COMPAT_SWAPON] = SVC_KIND_SWAP_SPACE,
	[283] = SVC_KIND_KEXEC,
	[5] = SVC_KIND_OPEN, [8] = SVC_KIND_OPEN, [295] = SVC_KIND_OPEN, [437] = SVC_KIND_OPEN,
	[3] = SVC_KIND_USE, [4] = SVC_KIND_USE, [145] = SVC_KIND_USE, [146] = SVC_KIND_USE,
	[180] = SVC_KIND_USE, [181] = SVC_KIND_USE, [333] = SVC_KIND_USE, [334] = SVC_KIND_USE,
	[378] = SVC_KIND_USE, [379] = SVC_KIND_USE,
	/* Of sendfile there are two. */
	[187] = SVC_KIND_USE, [239] = SVC_KIND_USE, [313] = SVC_KIND_USE, [377] = SVC_KIND_USE,
	[90] = SVC_KIND_MAP, [192] = SVC_KIND_MAP,
	[37] = SVC_KIND_SIGNAL, [238] = SVC_KIND_SIGNAL, [270] = SVC_KIND_SIGNAL,
	[178] = SVC_KIND_SIGNAL, [335] = SVC_KIND_SIGNAL, [424] = SVC_KIND_SIGNAL,
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

static __always_inline __u64 fifth_argument(const struct call *call)
{
	return call->abi == SVC_ABI_COMPAT ? (__u32)call->regs->di : call->regs->r8;
}

/* 32-bit code of Linux's first years gives the arguments of mmap in a structure: old_mmap, 90. */
#define OLD_MMAP 90
#define OLD_MMAP_DESCRIPTOR 16

/* The descriptor that is mapped, -1 of anonymous memory; MAP_ANONYMOUS is 0x20. */
static __always_inline int mapped_descriptor(const struct call *call)
{
	const struct pt_regs *regs = call->regs;
	int descriptor = -1;

	if (call->abi != SVC_ABI_COMPAT)
		return regs->r10 & 0x20 ? -1 : (int)regs->r8;
	if (call->number != OLD_MMAP)
		return regs->si & 0x20 ? -1 : (int)regs->di;
	bpf_probe_read_user(&descriptor, sizeof(descriptor),
			    (void *)(first_argument(call) + OLD_MMAP_DESCRIPTOR));
	return descriptor;
}

/* The descriptor that is read from, or written to. */
static __always_inline int used_descriptor(const struct call *call)
{
	int is_compat_call = call->abi == SVC_ABI_COMPAT;
	int is_sendfile = is_compat_call ? call->number == 187 || call->number == 239 :
					   call->number == 40;

	return is_sendfile ? second_argument(call) : first_argument(call);
}

/* tgkill and rt_tgsigqueueinfo name a process first, and then the thread. */
static __always_inline int names_thread(const struct call *call)
{
	return call->abi == SVC_ABI_COMPAT ?
		       call->number == 270 || call->number == 335 :
		       call->number == 234 || call->number == 297 || call->number == 536;
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
