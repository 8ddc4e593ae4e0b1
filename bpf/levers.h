/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Signals to a wrapper. A wrapper that is stopped holds each execve of its program, and one that
 * ends takes the program with it. So these are sent by those that started it, by the kernel, and by
 * container runtimes.
 */
#ifndef SVC_LEVERS_H
#define SVC_LEVERS_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "decision.h"
#include "protection.h"
#include "runtimes.h"
#include "typed.h"

#define ANCESTORS_MAX 64

/* As DUMPS of task_hooks.h. */
#define UNHANDLED(number)                          \
	case number:                               \
		return !handlers->action[number - 1].sa.sa_handler

/* A blocked signal waits until the process takes it. So the wrapper takes SIGTERM. */
static __always_inline int is_blocked(struct task_struct *target, __u32 signal)
{
	unsigned long blocked = target->blocked.sig[0] | target->real_blocked.sig[0];

	return signal != SIGKILL && signal != SIGSTOP && blocked & (1ul << ((signal - 1) & 63));
}

/* The signal ends the process, or stops it. */
static __always_inline int disarms(struct task_struct *target, __u32 signal)
{
	struct sighand_struct *handlers = to_read(target)->sighand;

	if (is_blocked(target, signal))
		return 0;
	switch (signal) {
	case SIGKILL:
	case SIGSTOP:
		return 1;
		UNHANDLED(1);
		UNHANDLED(2);
		UNHANDLED(3);
		UNHANDLED(4);
		UNHANDLED(5);
		UNHANDLED(6);
		UNHANDLED(7);
		UNHANDLED(8);
		UNHANDLED(10);
		UNHANDLED(11);
		UNHANDLED(12);
		UNHANDLED(13);
		UNHANDLED(14);
		UNHANDLED(15);
		UNHANDLED(16);
		UNHANDLED(20);
		UNHANDLED(21);
		UNHANDLED(22);
		UNHANDLED(24);
		UNHANDLED(25);
		UNHANDLED(26);
		UNHANDLED(27);
		UNHANDLED(29);
		UNHANDLED(30);
		UNHANDLED(31);
		UNHANDLED(32);
		UNHANDLED(33);
		UNHANDLED(34);
		UNHANDLED(35);
		UNHANDLED(36);
		UNHANDLED(37);
		UNHANDLED(38);
		UNHANDLED(39);
		UNHANDLED(40);
		UNHANDLED(41);
		UNHANDLED(42);
		UNHANDLED(43);
		UNHANDLED(44);
		UNHANDLED(45);
		UNHANDLED(46);
		UNHANDLED(47);
		UNHANDLED(48);
		UNHANDLED(49);
		UNHANDLED(50);
		UNHANDLED(51);
		UNHANDLED(52);
		UNHANDLED(53);
		UNHANDLED(54);
		UNHANDLED(55);
		UNHANDLED(56);
		UNHANDLED(57);
		UNHANDLED(58);
		UNHANDLED(59);
		UNHANDLED(60);
		UNHANDLED(61);
		UNHANDLED(62);
		UNHANDLED(63);
		UNHANDLED(64);
	}
	return 0;
}

/* The current task is an ancestor: systemd, a runtime's shim, a shell, the pod's first process. */
static __always_inline int has_started(struct task_struct *target)
{
	struct task_struct *ancestor = to_read(target)->real_parent;
	int tgid = bpf_get_current_pid_tgid() >> 32;

	for (int i = 0; i < ANCESTORS_MAX; i++) {
		if (ancestor->tgid == tgid)
			return 1;
		if (ancestor->tgid <= 1)
			return 0;
		ancestor = ancestor->real_parent;
	}
	return 0;
}

/* Its own threads, the wrapper's helpers, and the program, which ends with it. */
static __always_inline int is_of_registration(__u64 registration)
{
	struct svc_protection *own = protection_of(bpf_get_current_task_btf());

	return own && (own->flags & SVC_EXEMPT || own->registration == registration);
}

/* The target is a wrapper, with this protection. */
static __always_inline int judge_lever(struct task_struct *target,
				       const struct svc_protection *shield, __u32 signal,
				       struct sighting *seen)
{
	struct task_struct *current = bpf_get_current_task_btf();

	/* A parent that ends sends the signal that its child has asked for: PR_SET_PDEATHSIG. */
	if (!disarms(target, signal) || current->flags & (PF_EXITING | PF_KTHREAD))
		return 0;
	if (is_of_registration(shield->registration) || has_started(target) || is_runtime())
		return 0;
	seen->registration = shield->registration;
	seen->target_tgid = target->tgid;
	return violate(seen);
}

#endif
