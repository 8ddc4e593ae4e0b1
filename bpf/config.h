/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the agent wants, and what the running kernel has: the verifier leaves out what they exclude. */
#ifndef SVC_CONFIG_H
#define SVC_CONFIG_H

#include "kernel.h"
#include "event.h"

/* In a section of its own, so that the loader knows where it is. */
const volatile struct svc_config config SEC(".rodata.config") = {
	.watch_targets = 1,
	.watch_node = 1,
	.read_kernel = 1,
};

/* The agent does more than look. */
static __always_inline int is_stopping(void)
{
	return config.stopped != 0;
}

/* What is to be stopped is, and does not only say so. */
static __always_inline int is_enforcing(void)
{
	return is_stopping() && !config.dry_run;
}

/* Where it cannot be so, a program that asks for a task by its pid is refused. */
static __always_inline int has_task_of_pid(void)
{
	return LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 2, 0);
}

/* There a task that only a pid leads to is read by its address: task_address.h. */
static __always_inline int has_task_addresses(void)
{
	return config.read_kernel && !has_task_of_pid();
}

#endif
