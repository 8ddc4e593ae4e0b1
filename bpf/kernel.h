/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The kernel's structures, only the fields that are used: their places are those of the running kernel (CO-RE).
 * There is no vmlinux.h, which would be 3 MB of another machine.
 */
#ifndef SVC_KERNEL_H
#define SVC_KERNEL_H

/* bpf_tracing.h takes the kernel's names of registers then. */
#define __VMLINUX_H__
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* That of bpf_helpers.h is no constant expression. */
#undef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	unsigned int s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
	void *i_private;
};

struct file {
	struct inode *f_inode;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct upid {
	int nr;
};

struct pid {
	struct upid numbers[1];
};

struct mm_struct {
	struct file *exe_file;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct thread_info {
	__u32 status;
};

struct task_struct {
	struct thread_info thread_info;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct mm_struct *mm;
	struct files_struct *files;
	struct css_set *cgroups;
	__u64 start_boottime;
};

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

#pragma clang attribute pop

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* include/linux/ptrace.h: the caller only wants to know, and a refusal is nobody's fault (ps, top). */
#define PTRACE_MODE_NOAUDIT 0x04

/* include/uapi/linux/magic.h: descriptors of processes, since Linux 6.9. */
#define PID_FS_MAGIC 0x50494446

/* kernel/bpf/helpers.c: Linux 6.2, by pid of the initial namespace; 6.14, by pid of the caller's. */
extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym __weak;
extern struct task_struct *bpf_task_from_vpid(__s32 vpid) __ksym __weak;
extern void bpf_task_release(struct task_struct *p) __ksym __weak;

#endif
