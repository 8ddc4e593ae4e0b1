/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BPF programs of types that networks and control groups are made of, which many may load: they
 * read memory. A program of cgroup/connect4 runs in the process that connects, as itself, and so in
 * its memory. A descriptor of the program is the aim: the attacks attach nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MOVE(to, from) { BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0 }
#define ADD(to, value) { BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, value }
#define SET(to, value) { BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value }
#define MAP_VALUE(to, fd) \
	{ BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_VALUE, 0, fd }, { 0, 0, 0, 0, 0 }
#define CALL(helper) { BPF_JMP | BPF_CALL, 0, 0, 0, helper }
#define CALL_FUNCTION(number) { BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, number }
#define END SET(BPF_REG_0, 1), { BPF_JMP | BPF_EXIT, 0, 0, 0, 0 }

/* A number that is not a known address to the compiler; the low half of one. */
#define ANYWHERE 4096

#define TEXT_BYTES 8

/* Reads 8 bytes of any address onto its own stack. */
#define READS(address, helper)                                                                    \
	MOVE(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, -8), SET(BPF_REG_2, 8), SET(BPF_REG_3, address), \
		CALL(helper), END

static long load(__u32 type, __u32 attach, const struct bpf_insn *program, size_t count)
{
	union bpf_attr attributes = {
		.prog_type = type,
		.expected_attach_type = attach,
		.insns = (unsigned long)program,
		.insn_cnt = count,
		.license = (unsigned long)"GPL",
	};

	return close_again(syscall(SYS_bpf, WIDE(BPF_PROG_LOAD), &attributes, sizeof(attributes)));
}

static long load_connect(const struct bpf_insn *program, size_t count)
{
	return load(BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET4_CONNECT, program, count);
}

/* It reads the kernel's memory, in which every program's is. */
static long reading_network_program(const struct prey *prey)
{
	const struct bpf_insn program[] = { READS(-ANYWHERE, BPF_FUNC_probe_read_kernel) };

	UNUSED(prey);
	return load(BPF_PROG_TYPE_SOCKET_FILTER, 0, program, COUNT(program));
}

static long reading_connect_program(const struct prey *prey)
{
	const struct bpf_insn program[] = { READS(ANYWHERE, BPF_FUNC_probe_read_user) };

	UNUSED(prey);
	return load_connect(program, COUNT(program));
}

/* The kernel's own types; NULL if it tells none. */
static const struct btf_header *kernel_types(void)
{
	static char *types;
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	struct stat status;
	size_t had = 0;
	ssize_t got = 1;

	if (types || fd < 0 || fstat(fd, &status))
		return (void *)types;
	types = malloc(status.st_size);
	while (types && got > 0 && had < (size_t)status.st_size) {
		got = read(fd, types + had, status.st_size - had);
		had += got > 0 ? got : 0;
	}
	close(fd);
	return (void *)types;
}

/* How many bytes a type has, Documentation/bpf/btf.rst. */
static size_t bytes_of(const struct btf_type *type)
{
	static const size_t behind[] = { [1] = 4, [3] = 12, [14] = 4, [17] = 4, [19] = 0 };
	static const size_t parts[] = { [4] = 12, [5] = 12, [6] = 8, [13] = 8, [15] = 12, [19] = 12 };
	__u32 kind = BTF_INFO_KIND(type->info);

	if (kind >= COUNT(parts))
		return sizeof(*type);
	return sizeof(*type) + behind[kind] + parts[kind] * BTF_INFO_VLEN(type->info);
}

/* The number of one; 0 if the kernel has none of that kind and name. */
static int number_of(__u32 kind, const char *name)
{
	const struct btf_header *types = kernel_types();
	const char *start = (const char *)types;
	const char *names, *at;
	int number = 1;

	if (!types)
		return 0;
	at = start + types->hdr_len + types->type_off;
	names = start + types->hdr_len + types->str_off;
	for (const char *end = at + types->type_len; at < end; number++) {
		const struct btf_type *type = (const void *)at;

		if (BTF_INFO_KIND(type->info) == kind && !strcmp(names + type->name_off, name))
			return number;
		at += bytes_of(type);
	}
	return 0;
}

static long is_missing(void)
{
	errno = ENOENT;
	return -1;
}

/* Since Linux 6.2: a program takes any address for that of a structure of the kernel's. */
static long casting_program(const struct prey *prey)
{
	int function = number_of(BTF_KIND_FUNC, "bpf_rdonly_cast");
	const struct bpf_insn program[] = {
		SET(BPF_REG_1, ANYWHERE),
		SET(BPF_REG_2, number_of(BTF_KIND_STRUCT, "list_head")),
		CALL_FUNCTION(function),
		{ BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_0, 0, 0 },
		END,
	};

	UNUSED(prey);
	return function ? load_connect(program, COUNT(program)) : is_missing();
}

/* An array of one value. */
static int one_value(__u32 size, __u32 flags)
{
	union bpf_attr attributes = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = size,
		.max_entries = 1,
		.map_flags = flags,
	};

	return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof(attributes));
}

/* Since Linux 6.16: memory of the program that runs, into a map. */
static long copying_program(const struct prey *prey)
{
	/* BPF_FUNC_dynptr_from_mem: not in older headers. */
	const int dynptr_from_mem = 197;
	int function = number_of(BTF_KIND_FUNC, "bpf_probe_read_user_dynptr");
	int map = function ? one_value(PAGE_BYTES, 0) : -1;
	const struct bpf_insn program[] = {
		MAP_VALUE(BPF_REG_1, map),
		SET(BPF_REG_2, PAGE_BYTES),
		SET(BPF_REG_3, 0),
		MOVE(BPF_REG_4, BPF_REG_10),
		ADD(BPF_REG_4, -16),
		CALL(dynptr_from_mem),
		MOVE(BPF_REG_1, BPF_REG_10),
		ADD(BPF_REG_1, -16),
		SET(BPF_REG_2, 0),
		SET(BPF_REG_3, PAGE_BYTES),
		SET(BPF_REG_4, ANYWHERE),
		CALL_FUNCTION(function),
		END,
	};
	long result;

	UNUSED(prey);
	if (!function)
		return is_missing();
	result = load_connect(program, COUNT(program));
	close_again(map);
	return result;
}

/* A text that programs may not change, as the kernel wants formats. */
static int constant_text(const char *text)
{
	int map = one_value(TEXT_BYTES, BPF_F_RDONLY_PROG);
	union bpf_attr attributes;
	char value[TEXT_BYTES] = "";
	__u32 first = 0;

	strncpy(value, text, sizeof(value) - 1);
	attributes = (union bpf_attr){ .map_fd = map, .key = (__u64)&first, .value = (__u64)value };
	syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attributes, sizeof(attributes));
	attributes = (union bpf_attr){ .map_fd = map };
	syscall(SYS_bpf, BPF_MAP_FREEZE, &attributes, sizeof(attributes));
	return map;
}

/* Since Linux 6.17: a format prints the text at an address of the program that runs. */
static long printing_program(const struct prey *prey)
{
	int function = number_of(BTF_KIND_FUNC, "bpf_stream_vprintk_impl");
	int map = function ? constant_text("%pus") : -1;
	const struct bpf_insn program[] = {
		SET(BPF_REG_1, ANYWHERE),
		{ BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_1, -8, 0 },
		SET(BPF_REG_1, 1),
		MAP_VALUE(BPF_REG_2, map),
		MOVE(BPF_REG_3, BPF_REG_10),
		ADD(BPF_REG_3, -8),
		SET(BPF_REG_4, 8),
		SET(BPF_REG_5, 0),
		CALL_FUNCTION(function),
		END,
	};
	long result;

	UNUSED(prey);
	if (!function)
		return is_missing();
	result = load_connect(program, COUNT(program));
	close_again(map);
	return result;
}

/* Asks for instructions that are not in memory yet: a look at them there finds nothing. */
static long absent_program(const struct prey *prey)
{
	const struct bpf_insn program[] = { READS(ANYWHERE, BPF_FUNC_probe_read_user) };
	char path[] = "/tmp/svc-attack-XXXXXX";
	int fd = mkstemp(path);
	void *mapped;
	long result;

	UNUSED(prey);
	if (fd < 0 || write(fd, program, sizeof(program)) < 0)
		return -1;
	unlink(path);
	mapped = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	close_again(fd);
	if (mapped == MAP_FAILED)
		return -1;
	result = load_connect(mapped, COUNT(program));
	munmap(mapped, PAGE_BYTES);
	return result;
}

const struct attack program_attacks[] = {
	{ "bpf-network-program-reads", NULL, reading_network_program },
	{ "bpf-connect-program-reads", NULL, reading_connect_program },
	{ "bpf-connect-program-casts", NULL, casting_program },
	{ "bpf-connect-program-copies", NULL, copying_program },
	{ "bpf-connect-program-prints", NULL, printing_program },
	{ "bpf-connect-program-absent", NULL, absent_program },
	{ 0 },
};
