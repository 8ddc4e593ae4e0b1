import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The file in which the kernel describes its types. */
export const TYPES_FILE = "/sys/kernel/btf/vmlinux";

/** The facts about the kernel and its configuration, as far as they can be read. */
export interface Surroundings {
  /** As `uname -r`. */
  readonly kernel: string;
  /** Types of the running kernel: without them no program fits it. */
  readonly btf: boolean;
  /**
   * `none`, `integrity`, `confidentiality`; `unknown` if it cannot be read (lockdown(7),
   * kernel_lockdown(7)).
   */
  readonly lockdown: string;
  /**
   * Whether the kernel was booted with BPF among its security modules; undefined if that cannot be
   * read.
   */
  readonly bpfInLsm: boolean | undefined;
  readonly bpffs: boolean;
  readonly tracefs: boolean;
  /**
   * Whether this process has the pid namespace of the machine: events have its numbers, which /proc
   * is asked for.
   */
  readonly machinePids: boolean;
  /** Those of `neededCapabilities` that the process does not have. */
  readonly missingCapabilities: readonly string[];
}

/**
 * capability(7): to load programs, to attach them to the kernel, to look into processes of others.
 */
const neededCapabilities = { CAP_BPF: 39, CAP_PERFMON: 38, CAP_SYS_PTRACE: 19 } as const;

/** CAP_SYS_ADMIN stands for the first two; capability(7). */
const CAP_SYS_ADMIN = 21;

/** Reads the facts about the machine. It mounts and changes nothing. */
export function readSurroundings(): Surroundings {
  const lsm = read("/sys/kernel/security/lsm");
  return {
    kernel: read("/proc/sys/kernel/osrelease") ?? "unknown",
    btf: existsSync(TYPES_FILE),
    lockdown: lockdownOf(read("/sys/kernel/security/lockdown")),
    bpfInLsm: lsm?.split(",").includes("bpf"),
    bpffs: isMounted("/sys/fs/bpf"),
    tracefs: isMounted("/sys/kernel/tracing"),
    machinePids: isInMachinesNamespace(),
    missingCapabilities: missingCapabilities(read("/proc/self/status") ?? ""),
  };
}

/** `none [integrity] confidentiality`: the one in brackets holds. */
export function lockdownOf(text: string | undefined): string {
  return /\[(\w+)\]/.exec(text ?? "")?.[1] ?? "unknown";
}

/** By the line `CapEff` of /proc/PID/status. */
export function missingCapabilities(status: string): readonly string[] {
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  const has = (bit: number) => (effective & (1n << BigInt(bit))) !== 0n;
  return Object.entries(neededCapabilities)
    .filter(([name, bit]) => !has(bit) && !(name !== "CAP_SYS_PTRACE" && has(CAP_SYS_ADMIN)))
    .map(([name]) => name);
}

/** A file system that is not mounted leaves an empty folder. */
function isMounted(folder: string): boolean {
  return (
    read("/proc/self/mountinfo")
      ?.split("\n")
      .some((line) => line.split(" ")[4] === folder) ?? hasEntries(folder)
  );
}

function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}

/** PROC_PID_INIT_INO of include/linux/proc_ns.h. */
function isInMachinesNamespace(): boolean {
  try {
    return readlinkSync("/proc/self/ns/pid") === "pid:[4026531836]";
  } catch {
    return false;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
