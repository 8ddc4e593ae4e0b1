import { SyscallError, UnsupportedFeatureError } from "@svc/kernel";
import { type Surroundings, TYPES_FILE } from "./surroundings.ts";

/** Why the kernel lets no program in, and the way out. */
export interface BlindnessCause {
  readonly reason: string;
  readonly hint: string;
}

/** The facts about the machine that tell causes apart. */
export type LoadSurroundings = Pick<
  Surroundings,
  "kernel" | "btf" | "lockdown" | "missingCapabilities"
>;

/** libbpf looks there, too: btf__load_vmlinux_btf of its btf.c. */
const OTHER_TYPES =
  "/boot/vmlinux-RELEASE, /lib/modules/RELEASE and /usr/lib/debug (RELEASE is that of `uname -r`)";

/** The error of a load at which each program failed. */
export function blindnessCause(error: Error, facts: LoadSurroundings): BlindnessCause {
  if (error instanceof UnsupportedFeatureError) {
    return { reason: error.message, hint: `install ${error.needs}` };
  }
  const code = error instanceof SyscallError ? error.code : "";
  // libbpf answers ESRCH if it has found no types of the kernel: a process has nothing to do with it.
  if (code === "ESRCH" && !facts.btf) return withoutTypes;
  const missing = facts.missingCapabilities;
  if ((code === "EPERM" || code === "EACCES") && missing.length > 0) {
    return {
      reason: `the agent lacks ${missing.join(", ")} (${error.message})`,
      hint: "give the agent these capabilities: AmbientCapabilities of its unit, agent.capabilities of the chart",
    };
  }
  return { reason: `${error.message}${explained(code)}`, hint: hintOf(code, facts) };
}

/** The kernel took no single program; the reasons are those of some of them. */
export function refusedAll(reasons: readonly string[], facts: LoadSurroundings): BlindnessCause {
  const [first = "it names no reason", ...others] = new Set(reasons);
  const more = others.length > 0 ? `, and ${others.length} other reasons in /status` : "";
  return { reason: `the kernel refuses each program: ${first}${more}`, hint: hintOf("", facts) };
}

const withoutTypes: BlindnessCause = {
  reason: `the kernel has no types (BTF), which BPF programs need: nothing at ${TYPES_FILE}, nor in ${OTHER_TYPES}`,
  hint: "use a kernel that was built with CONFIG_DEBUG_INFO_BTF=y. If it was, mount sysfs at /sys of the agent's container",
};

/** The meanings of errors of bpf(2) and of libbpf, for one program or for all. */
const meanings: Readonly<Record<string, string>> = {
  EPERM: "a capability, a seccomp filter, lockdown or the kernel's own policy forbids it",
  EACCES: "the kernel's verifier, or a security module, does not accept it",
  EINVAL: "the kernel does not know a part of it: it is older, or was built without that part",
  ENOSYS: "the kernel was built without CONFIG_BPF_SYSCALL",
  ESRCH: "the kernel has no function or type of a name that it needs",
  ENOENT: "the kernel does not have the place at which it is to be called",
  ENOTSUP: "the kernel does not have this kind of program",
  // ENOTSUPP of include/linux/errno.h, for which libc has no name.
  E524: "the kernel cannot call a program at this place",
  E2BIG: "it is too long for this kernel's verifier",
  ENOSPC: "it is too long for this kernel's verifier",
  ENOMEM: "the kernel, or the agent's cgroup, has too little memory",
  EMFILE: "the agent is at its limit of descriptors",
  EBUSY: "another program is at this place already",
};

/** The meaning of an error of bpf(2), in brackets behind it; empty if that is not known. */
export function explained(code: string): string {
  const meaning = meanings[code];
  return meaning === undefined ? "" : ` (${meaning})`;
}

function hintOf(code: string, { kernel, lockdown }: LoadSurroundings): string {
  if (code === "ENOMEM") return "raise the memory limit of the agent";
  if (lockdown === "confidentiality") {
    return "the kernel is locked down for confidentiality, which may forbid programs: lockdown=integrity";
  }
  if (code === "EPERM") {
    return "allow bpf(2): the container's seccomp profile, agent.privileged of the chart, kernel_lockdown(7)";
  }
  return `Linux ${kernel}: use 5.17 or later with CONFIG_BPF_SYSCALL and CONFIG_DEBUG_INFO_BTF`;
}
