/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* System calls by number. */
#ifndef SVC_CALLS_H
#define SVC_CALLS_H

#include "kernel.h"
#include "event.h"

#if defined(__TARGET_ARCH_x86)
#include "calls_x86.h"
#elif defined(__TARGET_ARCH_arm64)
#include "calls_arm64.h"
#else
#error "there are no system calls of this architecture: scripts/generate/system-calls"
#endif

/* Not of an event: execve, by which a thread may take its leader's place. */
#define SVC_KIND_EXEC 255
/*
 * Nor: open, creat, openat, openat2, open_by_handle_at, whose result is looked at when they are
 * over.
 */
#define SVC_KIND_OPEN 254
/*
 * Nor these, which are watched only to stop them: a use of descriptors, a mapping of one, a signal,
 * and requests of io_submit(2) that use descriptors.
 */
#define SVC_KIND_USE 253
#define SVC_KIND_MAP 252
#define SVC_KIND_SIGNAL 251
#define SVC_KIND_SUBMIT 250
/* Nor: messages that give descriptors to another process. */
#define SVC_KIND_PASS 249

#define PTRACE_TRACEME 0
#define PTRACE_ATTACH 16
#define PTRACE_SEIZE 0x4206
#define BPF_PROG_LOAD_COMMAND 5

/*
 * The number of a call that the machine lacks. No call has this number. Code outside of a call has
 * -1.
 */
#define NO_SUCH_CALL -2

#define NATIVE_NUMBER(kind, name, number) NATIVE_##name = number,
#define NATIVE_LACK(name) NATIVE_##name = NO_SUCH_CALL,
#define COMPAT_NUMBER(kind, name, number) COMPAT_##name = number,
#define COMPAT_LACK(name) COMPAT_##name = NO_SUCH_CALL,

enum native_call { NATIVE_CALLS(NATIVE_NUMBER) NATIVE_LACKS(NATIVE_LACK) };
enum compat_call { COMPAT_CALLS(COMPAT_NUMBER) COMPAT_LACKS(COMPAT_LACK) };

#ifdef X32_CALLS
#define X32_NUMBER(kind, name, number) X32_##name = number,
enum x32_call { X32_CALLS(X32_NUMBER) };
#else
#define X32_CALLS(CALL)
enum x32_call { X32_rt_tgsigqueueinfo = NO_SUCH_CALL };
#endif

/*
 * Tables, for they are looked into at every system call of the machine. X32 has some numbers for
 * itself among those of 64 bits.
 */
#define SYSCALLS 576

#define KIND_OF(kind, name, number) [number] = SVC_KIND_##kind,

static const volatile __u8 native_kinds[SYSCALLS] SEC(".rodata.calls") = {
	NATIVE_CALLS(KIND_OF) X32_CALLS(KIND_OF)
};

static const volatile __u8 compat_kinds[SYSCALLS] SEC(".rodata.calls") = { COMPAT_CALLS(KIND_OF) };

struct call {
	struct pt_regs *regs;
	int number;
	__u8 abi;
	__u8 kind;
};

#endif
