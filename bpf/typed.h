/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Pointers to structures of the kernel, for reads alone. */
#ifndef SVC_TYPED_H
#define SVC_TYPED_H

#include "kernel.h"

/* The cast and bpf_task_from_pid came together: Linux 6.2. */
static __always_inline int has_casts(void)
{
	return LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 2, 0);
}

/*
 * A pointer to a structure of the kernel, from Linux 6.2 on. Reads through it are loads. Before, a
 * helper copies each field, which makes each read(2) of the machine some 200 ns longer.
 */
#define TYPED(type, address) \
	((struct type *)bpf_rdonly_cast((void *)(address), bpf_core_type_id_kernel(struct type)))

/*
 * The same task. The verifier trusts a task that the kernel gives to a program, and so asks of each
 * pointer in it whether it can be trusted as well. From Linux 6.3 on it looks through all types of
 * the kernel for the answer, which takes a millisecond. It trusts this pointer in nothing.
 */
static __always_inline struct task_struct *to_read(struct task_struct *task)
{
	return has_casts() ? TYPED(task_struct, task) : task;
}

/* As to_read. */
static __always_inline struct file *file_to_read(struct file *file)
{
	return has_casts() ? TYPED(file, file) : file;
}

#endif
