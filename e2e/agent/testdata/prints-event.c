/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a record on standard input, prints its fields as bpf/event.h has them, in JSON. */
#include <linux/types.h>
#include <stddef.h>
#include <stdio.h>

#include "../../../bpf/event.h"

#define UNSIGNED(field) printf("\"" #field "\": \"%llu\",\n", (unsigned long long)event.field)
#define SIGNED(field) printf("\"" #field "\": \"%lld\",\n", (long long)event.field)

int main(void)
{
	struct svc_event event = {};

	/* Version 1 ends before the name of the executable. */
	if (fread(&event, 1, sizeof(event), stdin) < offsetof(struct svc_event, actor_exe_name))
		return 1;
	printf("{\n");
	UNSIGNED(version);
	UNSIGNED(size);
	UNSIGNED(kind);
	UNSIGNED(mechanism);
	UNSIGNED(decision);
	UNSIGNED(abi);
	UNSIGNED(boot_ns);
	UNSIGNED(sequence);
	UNSIGNED(registration);
	SIGNED(syscall);
	UNSIGNED(detail);
	UNSIGNED(actor_pid);
	UNSIGNED(actor_tid);
	UNSIGNED(actor_ppid);
	UNSIGNED(actor_uid);
	UNSIGNED(actor_start_ns);
	UNSIGNED(actor_cgroup);
	UNSIGNED(actor_exe_inode);
	UNSIGNED(actor_exe_device);
	UNSIGNED(target_tid);
	UNSIGNED(target_pid);
	UNSIGNED(policy);
	UNSIGNED(target_start_ns);
	UNSIGNED(target_cgroup);
	printf("\"actor_comm_offset\": \"%zu\",\n", offsetof(struct svc_event, actor_comm));
	printf("\"actor_exe_name\": \"%.*s\"\n}\n", SVC_EXE_NAME_BYTES, event.actor_exe_name);
	return 0;
}
