// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Programs that the kernel takes, one that cannot be attached, and one that the verifier refuses.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define GETPPID 110

char LICENSE[] SEC("license") = "GPL";

struct record {
	__u64 count;
	__u64 answer;
	char filling[72];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} marks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} dropped SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} answers SEC(".maps");

const volatile __u64 answer SEC(".rodata.config") = 1;

/* No kernel has it. */
extern int svc_of_a_later_kernel(void) __ksym __weak;

SEC("tp_btf/sys_enter")
int BPF_PROG(note_calls, void *regs, long id)
{
	__u64 *count = id == GETPPID ? bpf_task_storage_get(&marks, bpf_get_current_task_btf(), 0, 0) : 0;
	__u32 zero = 0, *lost;
	struct record *record;

	if (!count)
		return 0;
	if (svc_of_a_later_kernel)
		svc_of_a_later_kernel();
	*count += 1;
	record = bpf_ringbuf_reserve(&calls, sizeof(*record), 0);
	if (!record) {
		lost = bpf_map_lookup_elem(&dropped, &zero);
		if (lost)
			*lost += 1;
		return 0;
	}
	record->count = *count;
	record->answer = answer;
	if (*count % 5 == 0)
		bpf_ringbuf_discard(record, 0);
	else
		bpf_ringbuf_submit(record, 0);
	return 0;
}

SEC("tracepoint/svc/there_is_none")
int not_attachable(void *ctx)
{
	return 0;
}

SEC("raw_tp/sys_enter")
int not_verifiable(void *ctx)
{
	__u32 key = 7, *value = bpf_map_lookup_elem(&answers, &key);

	return *value;
}
