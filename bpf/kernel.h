/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The kernel's structures, only the fields that are used: their places are those of the running
 * kernel (CO-RE). There is no vmlinux.h, which would be 3 MB of another machine.
 */
#ifndef SVC_KERNEL_H
#define SVC_KERNEL_H

/* bpf_tracing.h takes the kernel's names of registers then. */
#define __VMLINUX_H__
/* Before bpf_helpers.h, whose offsetof is not a constant expression. */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};

struct super_block {
	unsigned int s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned short i_mode;
	unsigned int i_rdev;
	unsigned long i_ino;
	struct super_block *i_sb;
	void *i_private;
	long long i_size;
	/* Until Linux 6.5; those below are of 6.6, and of 6.11. */
	struct timespec64 i_ctime;
};

struct inode___underscored {
	struct timespec64 __i_ctime;
};

struct inode___apart {
	long long i_ctime_sec;
	unsigned int i_ctime_nsec;
};

/* Linux 6.14 and later name the bytes of a short name otherwise. */
struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	unsigned char d_iname[32];
};

union shortname_store {
	unsigned char string[32];
};

struct dentry___shortname {
	union shortname_store d_shortname;
};

struct path {
	struct dentry *dentry;
};

struct file {
	unsigned int f_mode;
	struct inode *f_inode;
	struct path f_path;
	void *private_data;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

/* Without a name in the kernel. */
typedef struct {
	int counter;
} atomic_t;

struct files_struct {
	atomic_t count;
	struct fdtable *fdt;
};

/* All threads of a process have one. */
struct signal_struct {
	atomic_t live;
	int nr_threads;
};

struct upid {
	int nr;
};

struct list_head {
	struct list_head *prev;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct pid {
	unsigned int level;
	struct hlist_head tasks[1];
	struct upid numbers[1];
};

struct proc_inode {
	struct pid *pid;
	struct inode vfs_inode;
};

struct ns_common {
	unsigned int inum;
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct sigaction {
	void *sa_handler;
};

struct k_sigaction {
	struct sigaction sa;
};

struct sighand_struct {
	struct k_sigaction action[64];
};

struct vfsmount {
	struct super_block *mnt_sb;
};

struct task_struct;

/* It has an owner with CONFIG_MEMCG only: without it watch_memory is refused. */
struct mm_struct {
	unsigned long arg_start;
	unsigned long env_start;
	unsigned long env_end;
	struct file *exe_file;
	struct task_struct *owner;
};

struct kernfs_node {
	__u64 id;
	const char *name;
	struct kernfs_node *parent;
};

/* Since Linux 6.15. */
struct kernfs_node___underscored {
	struct kernfs_node *__parent;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

typedef struct {
	unsigned int val;
} kgid_t;

struct group_info {
	int ngroups;
	kgid_t gid[1];
};

struct user_namespace {
	int level;
};

struct cred {
	struct group_info *group_info;
	struct user_namespace *user_ns;
};

/* On x86. */
struct thread_info {
	__u32 status;
};

struct bpf_map {
	__u32 id;
};

struct bpf_prog {
	enum bpf_prog_type type;
	__u32 len;
	struct bpf_insn insnsi[1];
};

struct bpf_local_storage_map {
	struct bpf_map map;
};

struct bpf_local_storage_data {
	struct bpf_local_storage_map *smap;
	__u8 data[1];
};

struct bpf_local_storage_elem {
	struct hlist_node snode;
	struct bpf_local_storage_data sdata;
};

struct bpf_local_storage {
	struct hlist_head list;
};

/* An anonymous type of the kernel. */
struct signal_mask {
	unsigned long sig[1];
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	unsigned int ptrace;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct mm_struct *mm;
	struct files_struct *files;
	struct css_set *cgroups;
	const struct cred *cred;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct sighand_struct *sighand;
	struct signal_mask blocked;
	/* Those that sigtimedwait(2) takes out of the others while it waits. */
	struct signal_mask real_blocked;
	struct pid *thread_pid;
	struct hlist_node pid_links[1];
	struct list_head perf_event_list;
	struct bpf_local_storage *bpf_storage;
	__u64 start_boottime;
};

struct perf_event_attr {
	__u32 type;
	__u64 sample_type;
};

struct hw_perf_event {
	struct task_struct *target;
};

struct perf_event {
	struct list_head owner_entry;
	struct perf_event *parent;
	struct hw_perf_event hw;
	struct perf_event_attr attr;
};

struct io_uring_cqe {
	int res;
};

struct io_rsrc_node {
	unsigned long file_ptr;
};

struct io_rsrc_data {
	unsigned int nr;
	struct io_rsrc_node **nodes;
};

struct io_file_table {
	struct io_rsrc_data data;
};

struct io_ring_ctx {
	struct io_file_table file_table;
};

/*
 * Until Linux 6.12. There a slot is a structure with this one field. A later kernel lacks the
 * structure, and libbpf would look for it in the types of modules, which takes CAP_SYS_ADMIN.
 */
struct io_file_table___older {
	unsigned long *files;
};

struct io_ring_ctx___older {
	unsigned int nr_user_files;
	struct io_file_table___older file_table;
};

/* It lies where the request does. */
struct io_splice {
	int splice_fd_in;
	unsigned int flags;
};

/* include/linux/net.h, include/net/sock.h */
struct sock_common {
	unsigned short skc_family;
};

struct sock {
	struct sock_common __sk_common;
};

struct socket {
	struct sock *sk;
};

/* Its descriptor, or the number of its slot. */
struct io_cqe {
	int fd;
};

struct io_kiocb {
	struct file *file;
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
	__u8 opcode;
	/* Less wide before Linux 6.6; the bit that is used is the first one. */
	__u64 flags;
};

/* kernel/bpf/task_iter.c, with a flag of bpf_iter_task_new. */
#define BPF_TASK_ITER_ALL_THREADS 1

struct bpf_iter_task {
	__u64 __opaque[3];
};

/* include/linux/pid_types.h */
enum pid_type {
	PIDTYPE_PID,
	PIDTYPE_TGID,
};

/* Their numbers differ between kernels: bpf_core_enum_value. */
enum kernel_load_data_id {
	LOADING_MODULE = 2,
	LOADING_KEXEC_IMAGE,
};

enum kernel_read_file_id {
	READING_MODULE = 2,
	READING_KEXEC_IMAGE,
	READING_MODULE_COMPRESSED = 100,
};

enum lockdown_reason {
	LOCKDOWN_DEV_MEM = 2,
	LOCKDOWN_HIBERNATION,
	LOCKDOWN_PCI_ACCESS,
	LOCKDOWN_IOPORT,
	LOCKDOWN_MSR,
	LOCKDOWN_KCORE,
	LOCKDOWN_KPROBES,
};

#pragma clang attribute pop

#include "registers.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "kernel_constants.h"

/* libbpf fills it in, and the verifier removes the code that it excludes. */
extern int LINUX_KERNEL_VERSION __kconfig;

/*
 * kernel/bpf/helpers.c: Linux 6.2, by pid of the initial namespace; 6.14, by pid of the caller's.
 * The cast came with the first. Linux 6.13 brought the last one: kernel/trace/bpf_trace.c.
 */
extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym __weak;
extern struct task_struct *bpf_task_from_vpid(__s32 vpid) __ksym __weak;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym __weak;
extern void bpf_task_release(struct task_struct *p) __ksym __weak;
extern int bpf_iter_task_new(struct bpf_iter_task *it, struct task_struct *task__nullable,
			     unsigned int flags) __ksym __weak;
extern struct task_struct *bpf_iter_task_next(struct bpf_iter_task *it) __ksym __weak;
extern void bpf_iter_task_destroy(struct bpf_iter_task *it) __ksym __weak;
extern int bpf_send_signal_task(struct task_struct *task, int sig, enum pid_type type,
				__u64 value) __ksym __weak;

#endif
