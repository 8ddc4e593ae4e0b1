import { type Finding, ok } from "./finding.ts";
import type { NodeFacts } from "./node-facts.ts";

const CAP_IPC_LOCK = 14n;
const CAP_SYS_PTRACE = 19n;
/** Values of some size, and the wrapper's own locked pages (docs/decisions/0052). */
const LEAST_LOCKED = 1 << 20;

/** Judges a machine for the wrapper and the kernel agent. Pure. */
export function nodeFindings(facts: NodeFacts): readonly Finding[] {
  return [
    secretMemory(facts),
    lockedMemory(facts),
    swap(facts),
    tracing(facts),
    agent(facts),
    processor(facts),
  ];
}

function secretMemory({ noSecretMemory: why }: NodeFacts): Finding {
  const check = "memfd_secret";
  if (why === undefined) return ok(check, "the kernel gives memory that it cannot map itself");
  return {
    ...{ check, level: "warning", found: why },
    why: "secrets are in ordinary memory then, which root and a kernel bug can read",
    fix: "take Linux 6.5, or boot 5.14 and later with secretmem.enable=1; a seccomp profile must allow memfd_secret",
  };
}

function lockedMemory({ lockLimit, capabilities }: NodeFacts): Finding {
  const check = "locked memory";
  if (has(capabilities, CAP_IPC_LOCK)) return ok(check, "CAP_IPC_LOCK sets no limit");
  const kib = Math.floor(lockLimit / 1024);
  if (lockLimit >= LEAST_LOCKED) return ok(check, `RLIMIT_MEMLOCK is ${kib} KiB`);
  return {
    ...{ check, level: "warning", found: `RLIMIT_MEMLOCK is ${kib} KiB` },
    why: "secrets that do not fit are in memory that may be swapped",
    fix: "LimitMEMLOCK=8M in the unit, or ulimit -l 8192",
  };
}

function swap({ swaps }: NodeFacts): Finding {
  const check = "swap";
  if (swaps === undefined) return { check, level: "unknown", found: "/proc/swaps is unreadable" };
  const [, ...devices] = swaps.split("\n");
  if (devices.length === 0) return ok(check, "the machine has none");
  const names = devices.map((line) => line.split(/\s/)[0] ?? "").join(", ");
  return {
    ...{ check, level: "warning", found: `the machine swaps to ${names}` },
    why: "the program's own copies of secrets may be written to a disk",
    fix: "swapoff -a, or memory.swap.max=0 for the program's cgroup (MemorySwapMax=0 in a unit)",
  };
}

function tracing({ ptraceScope, capabilities }: NodeFacts): Finding {
  const check = "ptrace";
  const mayTrace =
    ptraceScope === undefined ||
    ["0", "1"].includes(ptraceScope) ||
    (ptraceScope === "2" && has(capabilities, CAP_SYS_PTRACE));
  if (mayTrace) return ok(check, "the wrapper may trace its program: delivery by inject");
  return {
    ...{ check, level: "warning", found: `kernel.yama.ptrace_scope is ${ptraceScope}` },
    why: "the wrapper cannot deliver by inject; programs get preload or env instead",
    fix: ptraceScope === "3" ? "boot with a smaller value: 3 stays" : "give it CAP_SYS_PTRACE",
  };
}

function agent({ hasTypes, securityModules }: NodeFacts): Finding {
  const check = "kernel agent";
  if (!hasTypes) {
    return {
      ...{ check, level: "warning", found: "the kernel has no BTF types" },
      why: "the agent does not start, and nothing reports theft from programs",
      fix: "take a kernel with CONFIG_DEBUG_INFO_BTF=y: /sys/kernel/btf/vmlinux",
    };
  }
  if (securityModules === undefined) {
    const found = "/sys/kernel/security/lsm is unreadable: its tier is not known";
    return { check, level: "unknown", found, fix: "mount -t securityfs none /sys/kernel/security" };
  }
  if (securityModules.split(",").includes("bpf")) {
    return ok(check, "it can refuse attempts by hooks of LSM (tier lsm)");
  }
  return {
    ...{ check, level: "warning", found: "bpf is not in the kernel's list of security modules" },
    why: "the agent refuses attempts by fmod_ret if the kernel has it, else it kills after the attempt",
    fix: `boot with lsm=${securityModules},bpf`,
  };
}

function processor({ vulnerabilities }: NodeFacts): Finding {
  const check = "processor";
  if (vulnerabilities.size === 0) {
    return { check, level: "unknown", found: "the kernel says nothing about attacks on it" };
  }
  const open = [...vulnerabilities].filter(([, state]) => /vulnerable|unknown/i.test(state));
  const bare = open.filter(([, state]) => !/^Mitigation:.*SMT vulnerable$/.test(state));
  if (bare.length === 0) return ok(check, "known attacks on it are mitigated");
  return {
    ...{ check, level: "warning" },
    found: `it is open to ${bare.map(([name]) => name).join(", ")}`,
    why: "another program may guess memory that it cannot read",
    fix: "update the microcode, and leave mitigations= out of the kernel's command line",
  };
}

function has(capabilities: bigint, capability: bigint): boolean {
  return ((capabilities >> capability) & 1n) === 1n;
}
