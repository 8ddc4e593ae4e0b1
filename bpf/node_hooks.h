/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Hooks behind which somebody changes what the kernel runs, or reads its memory. */
#ifndef SVC_NODE_HOOKS_H
#define SVC_NODE_HOOKS_H

/* Of a name in the running kernel. */
#define NUMBER(type, name) ((__u32)bpf_core_enum_value(type, name))

static __always_inline int check_node(__u8 kind, __u32 detail, __u8 mechanism)
{
	struct sighting seen = sighting(kind, mechanism);

	seen.detail = detail;
	return kind ? judge_node(&seen) : 0;
}

HOOK(bpf, check_node(command == BPF_PROG_LOAD_COMMAND ? SVC_KIND_BPF_LOAD : 0, 0, mechanism),
     int command, void *attributes, unsigned int size)

static __always_inline __u8 loaded_kind(__u32 id)
{
	if (id == NUMBER(enum kernel_load_data_id, LOADING_MODULE))
		return SVC_KIND_MODULE_LOAD;
	if (id == NUMBER(enum kernel_load_data_id, LOADING_KEXEC_IMAGE))
		return SVC_KIND_KEXEC;
	return SVC_KIND_NONE;
}

HOOK(kernel_load_data, check_node(loaded_kind(id), 0, mechanism), __u32 id, _Bool contents)

static __always_inline __u8 read_kind(__u32 id)
{
	if (id == NUMBER(enum kernel_read_file_id, READING_MODULE))
		return SVC_KIND_MODULE_LOAD;
	if (bpf_core_enum_value_exists(enum kernel_read_file_id, READING_MODULE_COMPRESSED) &&
	    id == NUMBER(enum kernel_read_file_id, READING_MODULE_COMPRESSED))
		return SVC_KIND_MODULE_LOAD;
	if (id == NUMBER(enum kernel_read_file_id, READING_KEXEC_IMAGE))
		return SVC_KIND_KEXEC;
	return SVC_KIND_NONE;
}

HOOK(kernel_read_file, check_node(read_kind(id), 0, mechanism), void *file, __u32 id, _Bool contents)

static __always_inline __u32 locked_memory(__u32 what)
{
	if (what == NUMBER(enum lockdown_reason, LOCKDOWN_DEV_MEM))
		return SVC_MEMORY_DEV_MEM;
	if (what == NUMBER(enum lockdown_reason, LOCKDOWN_KCORE))
		return SVC_MEMORY_KCORE;
	if (what == NUMBER(enum lockdown_reason, LOCKDOWN_IOPORT))
		return SVC_MEMORY_IOPORT;
	if (what == NUMBER(enum lockdown_reason, LOCKDOWN_MSR))
		return SVC_MEMORY_MSR;
	if (what == NUMBER(enum lockdown_reason, LOCKDOWN_PCI_ACCESS))
		return SVC_MEMORY_PCI;
	return 0;
}

/* What the kernel asks before it lets root past its own borders, whether it is locked down or not. */
static __always_inline int check_lock(__u32 what, __u8 mechanism)
{
	__u32 memory = locked_memory(what);

	if (memory)
		return check_node(SVC_KIND_KERNEL_MEMORY, memory, mechanism);
	if (what == NUMBER(enum lockdown_reason, LOCKDOWN_KPROBES))
		return check_node(SVC_KIND_KERNEL_PROBE, 0, mechanism);
	if (what == NUMBER(enum lockdown_reason, LOCKDOWN_HIBERNATION))
		return check_node(SVC_KIND_HIBERNATION, 0, mechanism);
	return 0;
}

HOOK(locked_down, check_lock(what, mechanism), __u32 what)

#endif
