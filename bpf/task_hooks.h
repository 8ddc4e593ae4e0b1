/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Hooks that the kernel calls when a process reaches for a task. */
#ifndef SVC_TASK_HOOKS_H
#define SVC_TASK_HOOKS_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "config.h"
#include "report.h"
#include "decision.h"
#include "protection.h"
#include "hooks.h"
#include "runtimes.h"
#include "guard.h"
#include "typed.h"

/* include/linux/sched/signal.h: the kernel itself sends the signal. */
#define SEND_SIG_PRIV 1

/*
 * The file that the current task opens, or is about to use. file_open knows the file. The ptrace
 * check, which procfs makes right after it, knows the task.
 */
struct opening {
	__u64 key;
	__u32 file;
	__u32 is_written;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct opening);
} openings SEC(".maps");

/*
 * Uses of descriptors that are reported, by the address of the kernel's file. To open a file and to
 * use it, however often, is one event.
 */
struct use {
	__u32 target_tid;
	__u32 actor_pid;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, struct use);
} uses SEC(".maps");

static __always_inline void note_use(__u64 key, __u32 target_tid)
{
	struct use use = {
		.target_tid = target_tid,
		.actor_pid = bpf_get_current_pid_tgid() >> 32,
	};

	bpf_map_update_elem(&uses, &key, &use, BPF_ANY);
}

static __always_inline int is_noted(__u64 key, __u32 target_tid)
{
	struct use *use = bpf_map_lookup_elem(&uses, &key);

	return use && use->target_tid == target_tid &&
	       use->actor_pid == bpf_get_current_pid_tgid() >> 32;
}

static __always_inline __u32 file_detail(__u32 file, int is_written)
{
	return file | (is_written ? SVC_FILE_WRITTEN : 0);
}

/* readlink and readlinkat make their check before the earlier opening has ended. */
static __always_inline int is_readlink(const struct sighting *seen)
{
	return is_call(seen, NATIVE_readlink, COMPAT_readlink) ||
	       is_call(seen, NATIVE_readlinkat, COMPAT_readlinkat);
}

/* perf_event_open(2): perf_event_alloc sees it, also if no check is asked for. */
static __always_inline int is_sampling(const struct sighting *seen)
{
	return is_call(seen, NATIVE_perf_event_open, COMPAT_perf_event_open);
}

/*
 * Links (fd, exe, cwd, root, ns) and numbers (io, status) make this check for reading, too. ps,
 * lsof and container runtimes read them. They are not among the files of svc_process_file, and are
 * not reported.
 */
static __always_inline int check_file_access(unsigned int mode, struct sighting *seen)
{
	struct opening *opening =
		bpf_task_storage_get(&openings, bpf_get_current_task_btf(), 0, 0);
	int answer;

	/* process_madvise(2) asks as procfs does, of no file. */
	if (seen->kind == SVC_KIND_MADVISE)
		return judge(seen);
	if (!opening || !opening->file || is_readlink(seen))
		return mode & PTRACE_MODE_ATTACH ? judge(seen) : 0;
	seen->kind = SVC_KIND_PROCESS_FILE;
	seen->detail = file_detail(opening->file, opening->is_written);
	opening->file = SVC_FILE_NONE;
	answer = judge(seen);
	if (seen->is_violation)
		note_use(opening->key, seen->target->pid);
	return answer;
}

static __always_inline int check_access(struct task_struct *child, unsigned int mode,
					__u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_TASK_ACCESS, mechanism);

	seen.target = child;
	seen.detail = mode;
	if (mode & PTRACE_MODE_NOAUDIT || is_sampling(&seen))
		return 0;
	name_by_call(&seen);
	if (seen.kind == SVC_KIND_SETNS && is_runtime())
		return 0;
	if (mode & PTRACE_MODE_FSCREDS && !config.access_by_check)
		return check_file_access(mode, &seen);
	return judge(&seen);
}

HOOK(ptrace_access_check, check_access(child, mode, mechanism), struct task_struct *child,
     unsigned int mode)

static __always_inline int check_traceme(struct task_struct *parent, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_TRACEME, mechanism);

	seen.target = bpf_get_current_task_btf();
	return judge_traceme(parent, &seen);
}

HOOK(ptrace_traceme, check_traceme(parent, mechanism), struct task_struct *parent)

/* A constant index: the verifier refuses another one. */
#define DUMPS(number)                              \
	case number:                               \
		return !handlers->action[number - 1].sa.sa_handler

/*
 * SIG_KERNEL_COREDUMP_MASK of include/linux/signal.h. A process that handles the signal is not
 * ended by it, and writes no core: nginx ends by SIGQUIT.
 */
static __always_inline int dumps_core(struct task_struct *target, __u32 signal)
{
	struct sighand_struct *handlers = to_read(target)->sighand;

	switch (signal) {
		DUMPS(SIGQUIT);
		DUMPS(SIGILL);
		DUMPS(SIGTRAP);
		DUMPS(SIGABRT);
		DUMPS(SIGBUS);
		DUMPS(SIGFPE);
		DUMPS(SIGSEGV);
		DUMPS(SIGXCPU);
		DUMPS(SIGXFSZ);
		DUMPS(SIGSYS);
	}
	return 0;
}

#include "levers.h"

static __always_inline int judge_signal(struct task_struct *target, __u32 signal,
					struct sighting *seen)
{
	struct svc_protection *shield = protection_of(target);

	seen->kind = SVC_KIND_CORE_SIGNAL;
	seen->target = target;
	seen->detail = signal;
	if (is_stopping() && shield && shield->flags & SVC_EXEMPT)
		return guard_signal(signal, seen);
	if (shield && shield->flags & SVC_OWNER)
		return judge_lever(target, shield, signal, seen);
	return dumps_core(target, signal) ? judge(seen) : 0;
}

static __always_inline int check_signal(struct task_struct *target, __u32 signal, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_CORE_SIGNAL, mechanism);

	return judge_signal(target, signal, &seen);
}

HOOK(task_kill, check_signal(task, signal, mechanism), struct task_struct *task, void *info,
     int signal, void *cred)

/* F_SETSIG of fcntl(2): the process that causes an event on the file sends the signal. */
HOOK(file_send_sigiotask, check_signal(task, signal, mechanism), struct task_struct *task,
     void *owner, int signal)

/*
 * Limits of core dumps, and limits whose excess ends a process with a core dump. The kernel sends
 * SIGXCPU, SIGXFSZ, or SIGSEGV if the stack must not grow. A program that gets no memory often
 * calls abort(3).
 */
#define CORE_LIMITS                                                                  \
	(1u << RLIMIT_CORE | 1u << RLIMIT_CPU | 1u << RLIMIT_FSIZE | 1u << RLIMIT_DATA | \
	 1u << RLIMIT_STACK | 1u << RLIMIT_AS | 1u << RLIMIT_RTTIME)

static __always_inline int is_core_limit(unsigned int resource)
{
	return resource < 32 && CORE_LIMITS & 1u << resource;
}

static __always_inline int check_limit(struct task_struct *target, int resource, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_CORE_LIMIT, mechanism);

	seen.target = target;
	if (is_stopping() && is_agent(target))
		return guard(SVC_TAMPERING_LIMIT, &seen);
	return is_core_limit(resource) ? judge(&seen) : 0;
}

HOOK(task_setrlimit, check_limit(task, resource, mechanism), struct task_struct *task,
     unsigned int resource, void *limit)

/*
 * The kind of an event of perf_event_open(2) that is about no process, or about more than one.
 * SVC_KIND_NONE for a harmless one.
 */
static __always_inline __u8 perf_kind(__u32 type, __u64 samples, int has_target)
{
	if (type && (type == config.uprobe_type || type == config.kprobe_type))
		return SVC_KIND_KERNEL_PROBE;
	return !has_target && samples & PERF_SAMPLES_OF_MEMORY ? SVC_KIND_CPU_SAMPLING :
								 SVC_KIND_NONE;
}

/*
 * The current task starts another one, which inherits its sampling. The sampling process began with
 * the task, or with an ancestor, before any of them was registered. The start itself is refused:
 * nothing else would end the sampling.
 */
static __always_inline int check_inherited(const struct perf_event *event, struct sighting *seen)
{
	struct svc_protection *own = shield_of(bpf_get_current_task_btf());

	if (!own || own->flags & SVC_EXEMPT || is_only_trusted(own) ||
	    !(event->attr.sample_type & PERF_SAMPLES_OF_MEMORY))
		return 0;
	seen->target = bpf_get_current_task_btf();
	seen->registration = own->registration;
	return violate(seen);
}

/* Also if CAP_PERFMON spares the caller the ptrace check. */
static __always_inline int check_sampling(struct perf_event *event, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_PERF_OPEN, mechanism);
	struct task_struct *target = event->hw.target;
	__u8 kind = perf_kind(event->attr.type, event->attr.sample_type, target != 0);

	if (event->parent)
		return check_inherited(event, &seen);
	if (kind) {
		seen.kind = kind;
		return judge_node(&seen);
	}
	if (!target)
		return 0;
	if (has_task_of_pid())
		return judge_and_release(task_of_pid(target->pid), &seen);
	/* There it is a pointer like any other. */
	seen.target = target;
	return judge(&seen);
}

HOOK(perf_event_alloc, check_sampling(event, mechanism), struct perf_event *event)

/* A thread that was there before the registration becomes the leader. */
static __always_inline int check_exec(void)
{
	struct task_struct *current = bpf_get_current_task_btf();

	inherit(current->group_leader, current);
	return 0;
}

HOOK(bprm_creds_for_exec, check_exec(), void *bprm)

#endif
