/* SPDX-License-Identifier: Apache-2.0 */
/* A goal: a BPF program of a type that sees every process. It is not attached, and does nothing. */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "combination.h"

#define COUNT 2

/* They lie in low memory, behind the attributes. */
struct load {
	union bpf_attr attributes;
	struct bpf_insn instructions[COUNT];
	char license[4];
};

static long load_program(void)
{
	struct load load = {
		.attributes = {
			.prog_type = BPF_PROG_TYPE_KPROBE,
			.insn_cnt = COUNT,
			.insns = (unsigned long)arguments_page + offsetof(struct load, instructions),
			.license = (unsigned long)arguments_page + offsetof(struct load, license),
		},
		.instructions = {
			{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
			{ .code = BPF_JMP | BPF_EXIT },
		},
		.license = "GPL",
	};

	lay(&(struct image){ &load, sizeof(load), offsetof(union bpf_attr, prog_type),
			     BPF_PROG_TYPE_CGROUP_SKB });
	if (parts.is_narrow)
		return call_narrow(357, BPF_PROG_LOAD, (long)arguments_page, sizeof(load.attributes), 0, 0);
	return syscall(SYS_bpf, BPF_PROG_LOAD, arguments_page, sizeof(load.attributes));
}

/* A program of the harmless type is worth nothing. */
static long is_of_type(int fd)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr asked = { .info = { fd, sizeof(info), (unsigned long)&info } };

	return syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &asked, sizeof(asked)) == 0 &&
	       info.type == BPF_PROG_TYPE_KPROBE;
}

const struct goal program_goals[] = {
	{ "program", NULL, load_program, is_of_type, 0, NULL },
	{ 0 },
};
