import { existsSync, readdirSync, readFileSync } from "node:fs";
import { closeDescriptor, createSecretMemory, memoryLockLimit, processStatus } from "@svc/kernel";

/** A machine, as a program with the rights of this one sees it. Texts are undefined if unreadable. */
export interface NodeFacts {
  /** Why there is no memfd_secret; undefined if there is. */
  readonly noSecretMemory: string | undefined;
  /** RLIMIT_MEMLOCK in bytes. */
  readonly lockLimit: number;
  /** The effective capabilities of this process. */
  readonly capabilities: bigint;
  /** /proc/sys/kernel/yama/ptrace_scope. */
  readonly ptraceScope: string | undefined;
  /** /proc/swaps. */
  readonly swaps: string | undefined;
  readonly hasTypes: boolean;
  /** /sys/kernel/security/lsm. */
  readonly securityModules: string | undefined;
  /** The kernel's words about attacks on the processor, by their names. */
  readonly vulnerabilities: ReadonlyMap<string, string>;
}

const VULNERABILITIES = "/sys/devices/system/cpu/vulnerabilities";

/** Looks at this machine. It changes nothing. */
export function nodeFacts(): NodeFacts {
  return {
    noSecretMemory: noSecretMemory(),
    lockLimit: memoryLockLimit(),
    capabilities: BigInt(`0x${processStatus().get("CapEff")?.trim() || "0"}`),
    ptraceScope: textOf("/proc/sys/kernel/yama/ptrace_scope"),
    swaps: textOf("/proc/swaps"),
    hasTypes: existsSync("/sys/kernel/btf/vmlinux"),
    securityModules: textOf("/sys/kernel/security/lsm"),
    vulnerabilities: vulnerabilities(),
  };
}

function noSecretMemory(): string | undefined {
  try {
    closeDescriptor(createSecretMemory().fd);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "it failed";
  }
}

function vulnerabilities(): ReadonlyMap<string, string> {
  if (!existsSync(VULNERABILITIES)) return new Map();
  const names = readdirSync(VULNERABILITIES);
  return new Map(names.map((name) => [name, textOf(`${VULNERABILITIES}/${name}`) ?? "unreadable"]));
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
