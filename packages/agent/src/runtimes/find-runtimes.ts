import { readFileSync, readlinkSync } from "node:fs";
import {
  closeDescriptor,
  descriptorFacts,
  openForReading,
  openInRoot,
  SyscallError,
} from "@svc/kernel";
import type { KernelInode } from "../kernel-inode.ts";
import { kernelIdentity } from "./kernel-identity.ts";

/** The machine's files, and their names. */
export interface Machine {
  /** Its root directory. */
  readonly root: string;
  /** The mounts there; proc_pid_mountinfo(5). */
  readonly mountinfo: string;
  /** A link that names its mount namespace; namespaces(7). */
  readonly mountNamespace: string;
}

/** The runtimes that may enter the namespaces of programs. */
export interface ContainerRuntimes {
  /**
   * Number of the machine's mount namespace: in another one a file of the same identity is not a
   * runtime.
   */
  readonly mountNamespace: number;
  /** Each once. */
  readonly executables: readonly KernelInode[];
}

/** If none may. */
export const noRuntimes: ContainerRuntimes = { mountNamespace: 0, executables: [] };

/** The machine's, if this process has its numbers of processes; else this process's own. */
export function machineOf({ machinePids }: { readonly machinePids: boolean }): Machine {
  if (!machinePids) {
    return {
      root: "/",
      mountinfo: "/proc/self/mountinfo",
      mountNamespace: "/proc/self/ns/mnt",
    };
  }
  return { root: "/proc/1/root", mountinfo: "/proc/1/mountinfo", mountNamespace: "/proc/1/ns/mnt" };
}

/**
 * Finds the runtimes at these paths; missing ones are left out.
 *
 * @throws SyscallError, Error of node:fs: the machine cannot be looked at
 */
export function findRuntimes(paths: readonly string[], machine: Machine): ContainerRuntimes {
  const mountNamespace = namespaceNumber(readlinkSync(machine.mountNamespace));
  const mountinfo = readFileSync(machine.mountinfo, "utf8");
  const root = openForReading(machine.root);
  const found = new Map<string, KernelInode>();
  try {
    for (const path of paths) {
      const identity = identityAt(root, path, mountinfo);
      if (identity !== undefined) found.set(`${identity.device} ${identity.inode}`, identity);
    }
  } finally {
    closeDescriptor(root);
  }
  return { mountNamespace, executables: [...found.values()] };
}

function identityAt(root: number, path: string, mountinfo: string): KernelInode | undefined {
  const fd = openIfThere(root, path);
  if (fd === undefined) return undefined;
  try {
    const fdinfo = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
    return kernelIdentity({ fdinfo, mountinfo }, BigInt(descriptorFacts(fd).inode));
  } finally {
    closeDescriptor(fd);
  }
}

const absent: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES"]);

/** A link that leads nowhere, or round in circles, is not a runtime either. */
function openIfThere(root: number, path: string): number | undefined {
  try {
    return openInRoot(root, path);
  } catch (error) {
    if (error instanceof SyscallError && absent.has(error.code)) return undefined;
    throw error;
  }
}

/** `mnt:[4026531841]` */
function namespaceNumber(link: string): number {
  return Number(/^mnt:\[(\d+)\]$/.exec(link)?.[1] ?? 0);
}
