/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The program that really runs. binfmt_misc has the kernel start another file than a process asks
 * for, with the environment that is meant for that. A script names its interpreter in its first
 * line. So an interpreter that no script names, inside of a registration, is an attempt. If the
 * machine runs all programs by one interpreter, as qemu-user does, then the process or its parent
 * already runs that file.
 */
#ifndef SVC_WATCH_INTERPRETERS_H
#define SVC_WATCH_INTERPRETERS_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "decision.h"
#include "inodes.h"
#include "protection.h"
#include "state.h"
#include "user_memory.h"
#include "hooks.h"

/* BINPRM_BUF_SIZE of include/uapi/linux/binfmts.h. */
#define HEAD_BYTES 256
#define INTERPRETER_BYTES 128
#define FORMATS_MAX 4096
/* The kernel takes five steps at most, of two words each. */
#define CHAIN_WORDS_MAX 12

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct linux_binprm {
	struct file *file;
	const char *filename;
	const char *interp;
	char buf[HEAD_BYTES];
};

/* Since Linux 6.7. In earlier ones no program finds the list. */
struct user_namespace___formats {
	void *binfmt_misc;
	struct user_namespace *parent;
};

#pragma clang attribute pop

/*
 * `Node` of fs/binfmt_misc.c, as it has been since Linux 4.10. Its type may be that of a module,
 * which takes CAP_SYS_ADMIN to look for.
 */
struct misc_format {
	__u64 next;
	__u64 previous;
	__u64 flags;
	__s32 offset;
	__s32 size;
	__u64 magic;
	__u64 mask;
	__u64 interpreter;
};

/* In its flags: it goes by the first bytes, else by the end of the name. */
#define FORMAT_HAS_MAGIC (1ull << 1)

static __always_inline int is_bound_to_programs(const struct svc_protection *shield)
{
	return shield && !(shield->flags & (SVC_OWNER | SVC_EXEMPT | SVC_HELPER)) &&
	       !is_only_trusted(shield);
}

static __always_inline int report_interpreter(const struct svc_protection *shield,
					      struct sighting *seen)
{
	seen->detail = SVC_LOADER_INTERPRETER;
	seen->target = bpf_get_current_task_btf();
	seen->registration = shield->registration;
	return violate(seen);
}

struct format_scan {
	__u64 at;
	__u64 list;
	__u64 words[INTERPRETER_BYTES / 8];
	__u8 is_found;
};

static __always_inline int is_same_word(const __u64 *one, const __u64 *other)
{
	__u64 differences = 0;

	for (int i = 0; i < INTERPRETER_BYTES / 8; i++) {
		differences |= one[i] ^ other[i];
		/* Else it is a branch for each word, and the verifier follows every way. */
		barrier_var(differences);
	}
	return !differences;
}

/*
 * Formats of byte code, archives and other systems take neither programs nor scripts. Functions
 * with their own stacks: as judge_long_table of watch_uses.h.
 */
static __noinline int takes_programs(__u64 address)
{
	struct misc_format read = {}, *format = &read;
	const __u32 program = 0x464c457f, script = 0x2123;
	__u32 magic = 0, mask = -1;

	bpf_probe_read_kernel(&read, sizeof(read), (void *)address);
	if (!(format->flags & FORMAT_HAS_MAGIC) || format->offset || format->size < 2)
		return 1;
	bpf_probe_read_kernel(&magic, sizeof(magic), (void *)format->magic);
	if (format->mask)
		bpf_probe_read_kernel(&mask, sizeof(mask), (void *)format->mask);
	if (format->size < 4)
		mask &= 0xffff;
	return !((magic ^ program) & mask) || !((magic ^ script) & mask & 0xffff);
}

static __noinline int runs_interpreter(__u64 address, const struct format_scan *scan)
{
	__u64 words[INTERPRETER_BYTES / 8] = {}, name = 0;

	bpf_probe_read_kernel(&name, sizeof(name),
			      (void *)(address + offsetof(struct misc_format, interpreter)));
	bpf_probe_read_kernel_str(words, sizeof(words), (void *)name);
	return is_same_word(words, scan->words);
}

static long scan_format(__u32 index, struct format_scan *scan)
{
	__u64 format = scan->at;

	if (!format || format == scan->list)
		return 1;
	bpf_probe_read_kernel(&scan->at, sizeof(scan->at),
			      (void *)(format + offsetof(struct misc_format, next)));
	if (!runs_interpreter(format, scan) || !takes_programs(format))
		return 0;
	scan->is_found = 1;
	return 1;
}

/* The list that the kernel goes by for the current task. */
static __noinline __u64 list_of_formats(void)
{
	struct user_namespace___formats *space =
		(void *)bpf_get_current_task_btf()->cred->user_ns;
	__u64 formats;

	if (!bpf_core_field_exists(space->binfmt_misc))
		return 0;
	for (int i = 0; i < 33; i++) {
		formats = (__u64)BPF_CORE_READ(space, binfmt_misc);
		if (formats)
			return formats;
		space = (void *)BPF_CORE_READ(space, parent);
		if (!space)
			return 0;
	}
	return 0;
}

struct chain_scan {
	__u64 at;
	__u64 list;
	/* The name that the process asked for. */
	__u64 asked[INTERPRETER_BYTES / 8];
	__u8 is_found;
};

/* A word that the kernel put before the arguments. */
static long scan_chain(__u32 index, struct chain_scan *chain)
{
	struct format_scan scan = { .list = chain->list };
	__u32 length;

	length = copy_string_from_caller((char *)scan.words, sizeof(scan.words), chain->at);
	if (!length) {
		chain->is_found = 1;
		return 1;
	}
	if (is_same_word(scan.words, chain->asked))
		return 1;
	chain->at += length;
	bpf_probe_read_kernel(&scan.at, sizeof(scan.at), (void *)chain->list);
	if (bpf_loop(FORMATS_MAX, scan_format, &scan, 0) >= FORMATS_MAX)
		scan.is_found = 1;
	chain->is_found = scan.is_found;
	return scan.is_found;
}

static __noinline int report_chain(const struct svc_protection *shield)
{
	struct sighting seen = {
		.kind = SVC_KIND_LOADER,
		.mechanism = SVC_MECHANISM_TRACING,
		.syscall = -1,
	};

	return report_interpreter(shield, &seen);
}

/*
 * For kernels without hooks, from Linux 6.7 on: one of the words that the kernel put before the
 * arguments is the interpreter of a format. Before its first instruction.
 */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(watch_interpreter, struct task_struct *task, int before, struct linux_binprm *program)
{
	struct chain_scan chain = {};
	struct svc_protection *shield;

	if (!config.read_kernel || program->interp == program->filename)
		return 0;
	shield = shield_of(task);
	chain.list = list_of_formats();
	if (!is_bound_to_programs(shield) || !chain.list || runs_file_of_parent(task))
		return 0;
	chain.at = to_read(task)->mm->arg_start;
	bpf_probe_read_kernel_str(chain.asked, sizeof(chain.asked), program->filename);
	bpf_loop(CHAIN_WORDS_MAX, scan_chain, &chain, 0);
	if (chain.is_found)
		report_chain(shield);
	return 0;
}

/* The beginning of the file that the kernel looked at last, on its way to a program. */
struct executed_head {
	char bytes[HEAD_BYTES];
	/* The name of the next file: there is no room for it on the stack. */
	char interpreter[HEAD_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct executed_head);
} executed_heads SEC(".maps");

static __always_inline int ends_word(char byte)
{
	return !byte || byte == ' ' || byte == '\t' || byte == '\n';
}

struct script_scan {
	struct executed_head *head;
	/* The place of the interpreter's name in the head; 0 as long as that has not begun. */
	__u32 begin;
	__u8 is_named;
};

/* One byte of the first line. */
static long scan_line(__u32 index, struct script_scan *scan)
{
	char byte = scan->head->bytes[(index + 2) & (HEAD_BYTES - 1)];
	char wanted;

	if (!scan->begin) {
		if (byte == ' ' || byte == '\t')
			return 0;
		scan->begin = index + 2;
	}
	wanted = scan->head->interpreter[(index + 2 - scan->begin) & (HEAD_BYTES - 1)];
	if (!wanted || ends_word(byte)) {
		scan->is_named = !wanted && ends_word(byte);
		return 1;
	}
	return byte != wanted;
}

/* It is a script whose first line names this interpreter. */
static __always_inline int names_interpreter(struct executed_head *head, const char *interpreter)
{
	struct script_scan scan = { .head = head };

	if (head->bytes[0] != '#' || head->bytes[1] != '!')
		return 0;
	bpf_probe_read_kernel_str(head->interpreter, sizeof(head->interpreter), interpreter);
	bpf_loop(HEAD_BYTES - 3, scan_line, &scan, 0);
	return scan.is_named;
}

static __always_inline int is_own_executable(struct file *file)
{
	struct svc_inode own = executable_of(bpf_get_current_task_btf());
	struct svc_inode next = identify(file->f_inode);

	return own.number == next.number && own.device == next.device;
}

/* The kernel looks at a file: the one that was asked for, and then each interpreter. */
static __always_inline int check_step(struct linux_binprm *program, __u8 mechanism)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct sighting seen = sighting(SVC_KIND_LOADER, mechanism);
	struct svc_protection *shield = shield_of(current);
	struct executed_head *head;
	int is_script;

	if (!config.read_kernel || !is_bound_to_programs(shield))
		return 0;
	head = bpf_task_storage_get(&executed_heads, current, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!head)
		return 0;
	is_script = program->interp == program->filename ||
		    names_interpreter(head, program->interp);
	bpf_probe_read_kernel(head->bytes, sizeof(head->bytes), &program->buf);
	if (is_script || is_own_executable(program->file))
		return 0;
	return report_interpreter(shield, &seen);
}

/* The names of the hook and of the function differ. */
SEC("lsm/bprm_check_security")
int BPF_PROG(bprm_check_security_lsm, struct linux_binprm *bprm)
{
	count_run(SVC_MECHANISM_LSM);
	return check_step(bprm, SVC_MECHANISM_LSM);
}

SEC("fmod_ret/security_bprm_check")
int BPF_PROG(bprm_check_security_fmod_ret, struct linux_binprm *bprm)
{
	count_run(SVC_MECHANISM_FMOD_RET);
	return check_step(bprm, SVC_MECHANISM_FMOD_RET);
}

#endif
