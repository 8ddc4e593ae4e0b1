/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Files of service account tokens. A wrapper logs in with the token, and tells the agent the file.
 * Each other process that opens the file causes an event, except for the kubelet.
 */
#ifndef SVC_TOKEN_FILES_H
#define SVC_TOKEN_FILES_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "inodes.h"
#include "state.h"
#include "decision.h"
#include "files.h"
#include "report.h"

/*
 * The volumes of these files, by the device number of their file system. The kubelet mounts a tmpfs
 * for each projected volume of a pod. The kernel gives the number to another file system later, so
 * the agent gives each volume a number that never comes again.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} token_volumes SEC(".maps");

/*
 * The names of the files, with the registration of a wrapper. The kubelet renews a token by a new
 * file of the same name.
 */
struct svc_token_name {
	__u64 volume;
	char name[NAME_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, struct svc_token_name);
	__type(value, __u64);
} token_names SEC(".maps");

/* The registrations whose wrappers may open the files of a volume. */
struct svc_token_reader {
	__u64 volume;
	__u64 registration;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, struct svc_token_reader);
	__type(value, __u32);
} token_readers SEC(".maps");

/* Files that were opened by such a name. Root can give a file another name. */
struct svc_token_inode {
	__u64 volume;
	__u64 number;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct svc_token_inode);
	__type(value, __u64);
} token_inodes SEC(".maps");

/*
 * The executables of the kubelet, with their mount namespaces. The kubelet writes the files, and
 * compares them.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct svc_inode);
	__type(value, __u32);
} kubelets SEC(".maps");

/* The number of the volume; 0 if no file of it is watched. */
static __always_inline __u64 token_volume(__u32 device)
{
	__u64 *volume = bpf_map_lookup_elem(&token_volumes, &device);

	return volume ? *volume : 0;
}

static __always_inline int is_kubelet(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct svc_inode executable = executable_of(task);
	__u32 *mount_namespace = bpf_map_lookup_elem(&kubelets, &executable);

	return mount_namespace && *mount_namespace == to_read(task)->nsproxy->mnt_ns->ns.inum;
}

static __always_inline int is_of_reader(struct task_struct *task, __u32 flag, __u64 volume)
{
	struct svc_protection *own = protection_of(task);
	struct svc_token_reader reader = { .volume = volume };

	if (!own || !(own->flags & flag))
		return 0;
	reader.registration = own->registration;
	return bpf_map_lookup_elem(&token_readers, &reader) != 0;
}

/*
 * A child of the wrapper that has executed nothing, runs the wrapper's file, and has the mark of
 * the wrapper's registration. A process that others leave behind becomes the wrapper's child as
 * well, and may run the same file. It has another mark, or none.
 */
static __always_inline int is_courier(struct task_struct *leader, __u64 volume)
{
	return leader->flags & PF_FORKNOEXEC && runs_file_of_parent(leader) &&
	       is_of_reader(leader->real_parent, SVC_OWNER, volume) &&
	       is_of_reader(leader, SVC_PROTECTED, volume);
}

static __always_inline int opens_for_wrapper(__u64 volume)
{
	struct task_struct *leader = bpf_get_current_task_btf()->group_leader;

	return is_of_reader(leader, SVC_OWNER, volume) || is_courier(leader, volume);
}

#define LOW_BITS 0x0101010101010101ull
#define HIGH_BITS 0x8080808080808080ull

/*
 * Zeros behind the name: 8 bytes at a time, without a branch for each byte. The verifier would
 * follow every branch.
 */
static __always_inline void clear_behind_name(char name[NAME_BYTES])
{
	__u64 *words = (__u64 *)name;
	__u64 is_before = ~0ull;

	for (int i = 0; i < NAME_BYTES / 8; i++) {
		__u64 zeros = (words[i] - LOW_BITS) & ~words[i] & HIGH_BITS;
		__u64 first = zeros & -zeros;

		words[i] &= ((first >> 7) - 1) & is_before;
		is_before &= ((zeros | -zeros) >> 63) - 1;
	}
}

/*
 * The current task opens a file of a volume. Returns the registration whose token it is; 0 if it is
 * another file, or if the task may open it. The name is the kernel's, as read_name reads it. A
 * separate function that calls no policy: the stacks of all calls together have 512 bytes.
 */
static __noinline __u64 stolen_token(__u64 volume, __u64 number, const char *given)
{
	struct svc_token_inode inode = { .volume = volume, .number = number };
	struct svc_token_name name = { .volume = volume };
	__u64 *registration;

	__builtin_memcpy(name.name, given, NAME_BYTES);
	clear_behind_name(name.name);
	registration = bpf_map_lookup_elem(&token_names, &name);
	if (registration)
		bpf_map_update_elem(&token_inodes, &inode, registration, BPF_ANY);
	else
		registration = bpf_map_lookup_elem(&token_inodes, &inode);
	if (!registration || opens_for_wrapper(volume) || is_kubelet())
		return 0;
	return *registration;
}

static __always_inline int open_token(__u64 volume, __u64 number, const char *name,
				      struct sighting *seen)
{
	seen->registration = stolen_token(volume, number, name);
	if (!seen->registration)
		return 0;
	seen->kind = SVC_KIND_TOKEN_FILE;
	/* The program may need the token as well. */
	seen->is_spared = 1;
	return violate(seen);
}

#endif
