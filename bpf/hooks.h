/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A hook of the kernel as two programs, of which one is attached. */
#ifndef SVC_HOOKS_H
#define SVC_HOOKS_H

/*
 * `answer` is an expression that knows the hook's arguments and `mechanism`: 0, or the refusal. What another program
 * refused stays refused.
 */
#define HOOK(hook, answer, ...)                                                 \
	SEC("lsm/" #hook)                                                       \
	int BPF_PROG(hook##_lsm, __VA_ARGS__, int ret)                          \
	{                                                                       \
		const __u8 mechanism = SVC_MECHANISM_LSM;                       \
                                                                                \
		count_run(mechanism);                                           \
		return answer ?: ret;                                           \
	}                                                                       \
                                                                                \
	SEC("fmod_ret/security_" #hook)                                         \
	int BPF_PROG(hook##_fmod_ret, __VA_ARGS__, int ret)                     \
	{                                                                       \
		const __u8 mechanism = SVC_MECHANISM_FMOD_RET;                  \
                                                                                \
		count_run(mechanism);                                           \
		return answer ?: ret;                                           \
	}

#endif
