/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* System calls of x86 by number: arch/x86/entry/syscalls/syscall_64.tbl and syscall_32.tbl. */
#ifndef SVC_SYSCALL_X86_H
#define SVC_SYSCALL_X86_H

/* Not of an event: execve, by which a thread may take its leader's place. */
#define SVC_KIND_EXEC 255

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

static __always_inline __u8 native_kind(long number)
{
	switch (number) {
	case 59: case 322: case 520: case 545:
		return SVC_KIND_EXEC;
	case 101: case 521:
		return SVC_KIND_PTRACE;
	case 310: case 539:
		return SVC_KIND_VM_READ;
	case 311: case 540:
		return SVC_KIND_VM_WRITE;
	case 438:
		return SVC_KIND_PIDFD_GETFD;
	case 312:
		return SVC_KIND_KCMP;
	case 440:
		return SVC_KIND_MADVISE;
	case 298:
		return SVC_KIND_PERF_OPEN;
	case 279: case 533:
		return SVC_KIND_MOVE_PAGES;
	case 256:
		return SVC_KIND_MIGRATE_PAGES;
	case 274: case 531:
		return SVC_KIND_ROBUST_LIST;
	case 308:
		return SVC_KIND_SETNS;
	case 302:
		return SVC_KIND_CORE_LIMIT;
	case 321:
		return SVC_KIND_BPF_LOAD;
	case 175: case 313:
		return SVC_KIND_MODULE_LOAD;
	case 246: case 320: case 528:
		return SVC_KIND_KEXEC;
	}
	return SVC_KIND_NONE;
}

static __always_inline __u8 compat_kind(long number)
{
	switch (number) {
	case 11: case 358:
		return SVC_KIND_EXEC;
	case 26:
		return SVC_KIND_PTRACE;
	case 347:
		return SVC_KIND_VM_READ;
	case 348:
		return SVC_KIND_VM_WRITE;
	case 438:
		return SVC_KIND_PIDFD_GETFD;
	case 349:
		return SVC_KIND_KCMP;
	case 440:
		return SVC_KIND_MADVISE;
	case 336:
		return SVC_KIND_PERF_OPEN;
	case 317:
		return SVC_KIND_MOVE_PAGES;
	case 294:
		return SVC_KIND_MIGRATE_PAGES;
	case 312:
		return SVC_KIND_ROBUST_LIST;
	case 346:
		return SVC_KIND_SETNS;
	case 340:
		return SVC_KIND_CORE_LIMIT;
	case 357:
		return SVC_KIND_BPF_LOAD;
	case 128: case 350:
		return SVC_KIND_MODULE_LOAD;
	case 283:
		return SVC_KIND_KEXEC;
	}
	return SVC_KIND_NONE;
}

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

/* True where the call has opened a file, if it went well. It runs at the end of every system call. */
static __always_inline int opens_file(struct call *call, long id)
{
	call->number = id & ~X32_SYSCALL_BIT;
	switch (call->number) {
	/* open, creat, openat, openat2 */
	case 2: case 85: case 257:
		call->abi = id & X32_SYSCALL_BIT ? SVC_ABI_X32 : SVC_ABI_NATIVE;
		return !is_compat();
	case 5: case 8: case 295:
		call->abi = SVC_ABI_COMPAT;
		return is_compat();
	case 437:
		call->abi = is_compat() ? SVC_ABI_COMPAT :
			    id & X32_SYSCALL_BIT ? SVC_ABI_X32 : SVC_ABI_NATIVE;
		return 1;
	}
	return 0;
}

/* True where the call is one that somebody watches. It runs at every system call of the machine. */
static __always_inline int recognise(struct call *call, long id)
{
	__u8 native = native_kind(id & ~X32_SYSCALL_BIT);
	__u8 compat = compat_kind(id);

	if (!native && !compat)
		return 0;
	call->number = id & ~X32_SYSCALL_BIT;
	if (is_compat()) {
		call->abi = SVC_ABI_COMPAT;
		call->kind = compat;
	} else {
		call->abi = id & X32_SYSCALL_BIT ? SVC_ABI_X32 : SVC_ABI_NATIVE;
		call->kind = native;
	}
	return call->kind != SVC_KIND_NONE;
}

#endif
