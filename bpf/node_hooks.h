/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Hooks that the kernel calls when a process changes the kernel's code, or reads its memory. */
#ifndef SVC_NODE_HOOKS_H
#define SVC_NODE_HOOKS_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "report.h"
#include "calls.h"
#include "decision.h"
#include "protection.h"
#include "hooks.h"
#include "user_memory.h"

/* The number of a name in the running kernel. */
#define NUMBER(type, name) ((__u32)bpf_core_enum_value(type, name))

static __always_inline int check_node(__u8 kind, __u32 detail, __u8 mechanism)
{
	struct sighting seen = sighting(kind, mechanism);

	seen.detail = detail;
	return kind ? judge_node(&seen) : 0;
}

/*
 * Programs of networks and of cgroups: container runtimes, systemd and network plugins load them
 * all the time. Others are run by the kernel while a protected program runs, and may read its
 * memory.
 */
#define ORDINARY_PROGRAMS                                                                     \
	(BIT(BPF_PROG_TYPE_SOCKET_FILTER) | BIT(BPF_PROG_TYPE_SCHED_CLS) |                    \
	 BIT(BPF_PROG_TYPE_SCHED_ACT) | BIT(BPF_PROG_TYPE_XDP) | BIT(BPF_PROG_TYPE_LWT_IN) |  \
	 BIT(BPF_PROG_TYPE_LWT_OUT) | BIT(BPF_PROG_TYPE_LWT_XMIT) |                           \
	 BIT(BPF_PROG_TYPE_LWT_SEG6LOCAL) | BIT(BPF_PROG_TYPE_SOCK_OPS) |                     \
	 BIT(BPF_PROG_TYPE_SK_SKB) | BIT(BPF_PROG_TYPE_SK_MSG) | BIT(BPF_PROG_TYPE_SK_LOOKUP) | \
	 BIT(BPF_PROG_TYPE_SK_REUSEPORT) | BIT(BPF_PROG_TYPE_FLOW_DISSECTOR) |                \
	 BIT(BPF_PROG_TYPE_CGROUP_SKB) | BIT(BPF_PROG_TYPE_CGROUP_SOCK) |                     \
	 BIT(BPF_PROG_TYPE_CGROUP_DEVICE) | BIT(BPF_PROG_TYPE_CGROUP_SOCK_ADDR) |             \
	 BIT(BPF_PROG_TYPE_CGROUP_SYSCTL) | BIT(BPF_PROG_TYPE_CGROUP_SOCKOPT))

#define BIT(number) (1ull << (number))

static __always_inline int is_ordinary_program(__u32 type)
{
	return type < 64 && ORDINARY_PROGRAMS & BIT(type);
}

/*
 * Functions of the kernel by which programs read any address, by their numbers among its types: the
 * agent finds them.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u8);
} reading_functions SEC(".maps");

struct program_scan {
	__u64 instructions;
	__u8 is_kernels;
	__u8 reads;
};

/*
 * Helpers by which a program reads any memory, some by printing it, and the one that writes memory.
 */
static __always_inline int is_reader(__s32 helper)
{
	switch (helper) {
	case BPF_FUNC_probe_read:
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_user:
	case BPF_FUNC_probe_read_user_str:
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_probe_write_user:
	case BPF_FUNC_copy_from_user:
	case BPF_FUNC_copy_from_user_task:
	case BPF_FUNC_trace_printk:
	case BPF_FUNC_trace_vprintk:
	case BPF_FUNC_snprintf:
	case BPF_FUNC_snprintf_btf:
		return 1;
	}
	return 0;
}

static __always_inline int is_reading(const struct bpf_insn *instruction)
{
	__u32 number = instruction->imm;

	if (instruction->code != (BPF_JMP | BPF_CALL))
		return 0;
	if (!instruction->src_reg)
		return is_reader(number);
	return instruction->src_reg == BPF_PSEUDO_KFUNC_CALL &&
	       bpf_map_lookup_elem(&reading_functions, &number);
}

/* A program that cannot be read counts as a reader: its owner may put other instructions there. */
static long scan_instruction(__u32 index, struct program_scan *scan)
{
	struct bpf_insn instruction = {};
	__u64 from = scan->instructions + index * sizeof(instruction);
	long is_unknown;

	if (config.read_kernel && scan->is_kernels)
		is_unknown = bpf_probe_read_kernel(&instruction, sizeof(instruction), (void *)from);
	else
		is_unknown = copy_from_caller(&instruction, sizeof(instruction), from);
	if (!is_unknown && !is_reading(&instruction))
		return 0;
	scan->reads = 1;
	return 1;
}

static __always_inline int reads_memory(struct program_scan *scan, __u32 instructions)
{
	return bpf_loop(instructions, scan_instruction, scan, 0) < 0 || scan->reads;
}

/*
 * Before 6.2, Linux takes a field of the union for one of its first structure. It refuses to read
 * beyond the end of that.
 */
static __always_inline __u64 instructions_of(const union bpf_attr *attributes)
{
	__u64 instructions = 0;

	bpf_probe_read_kernel(&instructions, sizeof(instructions), &attributes->insns);
	return instructions;
}

static __always_inline int check_bpf(int command, union bpf_attr *attributes, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_BPF_LOAD, mechanism);
	struct program_scan scan = {};

	if (command != BPF_PROG_LOAD_COMMAND)
		return 0;
	seen.is_spared = is_ordinary_program(attributes->prog_type);
	/*
	 * lockdown=confidentiality forbids all such helpers here: libbpf makes that which reads
	 * user memory the one that is refused.
	 */
	if (seen.is_spared && is_stopping() && config.read_kernel) {
		scan.instructions = instructions_of(attributes);
		seen.is_spared = !reads_memory(&scan, attributes->insn_cnt);
	}
	return judge_node(&seen);
}

HOOK(bpf, check_bpf(command, attributes, mechanism), int command, union bpf_attr *attributes)

/*
 * The kernel has its copy now: the instructions that `bpf` was shown may have been exchanged since.
 * A call that it allowed has been reported.
 */
static __always_inline int check_loaded(struct bpf_prog *program, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_BPF_LOAD, mechanism);
	struct program_scan scan = {
		.instructions = (__u64)program + bpf_core_field_offset(struct bpf_prog, insnsi),
		.is_kernels = 1,
	};

	if (!config.read_kernel || !is_ordinary_program(program->type))
		return 0;
	return reads_memory(&scan, program->len) ? judge_node(&seen) : 0;
}

HOOK(bpf_prog_load, check_loaded(program, mechanism), struct bpf_prog *program)

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

HOOK(kernel_read_file, check_node(read_kind(id), 0, mechanism), void *file, __u32 id,
     _Bool contents)

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

/*
 * The check that the kernel makes before root may change the kernel or read its memory, with or
 * without a lockdown.
 */
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
