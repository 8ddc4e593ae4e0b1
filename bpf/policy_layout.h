/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Policies as the agent writes them, and the kernel side reads them. */
#ifndef SVC_POLICY_LAYOUT_H
#define SVC_POLICY_LAYOUT_H

#include "kernel.h"
#include "event.h"

#define SVC_POLICIES_MAX 64

/*
 * Policies, each a bit. Every bit allows more, and a new set has no bit of the one before: a
 * program that reads while the agent writes sees less allowed, and never more.
 */
struct svc_policies {
	/* Those that are in force until their ends. */
	__u64 live;
	/* Those that allow an attempt, and those of a dry run. */
	__u64 allowing;
	__u64 dry;
	/* Those that ask for nothing about the actor's file, control group, user. */
	__u64 any_executable;
	__u64 any_cgroup;
	__u64 any_user;
	/* Those that hold in other mount namespaces than the machine's, too. */
	__u64 anywhere;
	/* By enum svc_kind. */
	__u64 kinds[SVC_KINDS_MAX];
	/* Their numbers in events. */
	__u32 numbers[SVC_POLICIES_MAX];
	/*
	 * By the clock since boot, and below 1 << 63; a policy without an end has the last of these
	 * moments.
	 */
	__u64 ends_ns[SVC_POLICIES_MAX];
};

_Static_assert(sizeof(struct svc_policies) == 1336, "the agent writes 1336 bytes");

#define SVC_CGROUP_NAME_BYTES 96

/* The name of a control group's folder; zeros behind it. */
struct svc_cgroup_name {
	char text[SVC_CGROUP_NAME_BYTES];
};

/* A file that policies name, as it was when the agent took its digest. */
struct svc_executable {
	__u64 policies;
	__u64 size;
	__u64 changed_s;
	__u32 changed_ns;
	__u32 reserved;
};

#endif
