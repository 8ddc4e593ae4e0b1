import { closeSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import {
  closeDescriptor,
  connectAt,
  descriptorFacts,
  openProcess,
  processLives,
  socketPeer,
} from "@svc/kernel";
import { kernelIdentity } from "../runtimes/kernel-identity.ts";
import type { KubeletFile } from "./token-file-maps.ts";

/** The kubelet that runs. */
export interface RunningKubelet {
  readonly executable: KubeletFile;
  /** The mounts that it sees, those of pods' volumes among them; proc_pid_mountinfo(5). */
  readonly mountinfo: string;
}

/** Every kubelet listens there for plugins of devices. */
const SOCKET = "device-plugins/kubelet.sock";

/**
 * Finds the machine's kubelet: the kernel says which process listens at the kubelet's own socket
 * (SO_PEERCRED, unix(7)). It may have its own mount namespace.
 *
 * @param folder the kubelet's folder
 * @throws SyscallError, Error of node:fs: there is no kubelet, or the agent cannot look at it
 */
export function findKubelet(folder: string): RunningKubelet {
  const connection = connectAt(join(folder, SOCKET));
  try {
    const { pid } = socketPeer(connection);
    if (pid === 0) throw new TypeError("it is in another pid namespace");
    return lookAt(pid);
  } finally {
    closeDescriptor(connection);
  }
}

function lookAt(pid: number): RunningKubelet {
  const process = openProcess(pid);
  let executable: number | undefined;
  try {
    executable = openSync(`/proc/${pid}/exe`, "r");
    const fdinfo = readFileSync(`/proc/self/fdinfo/${executable}`, "utf8");
    const mountinfo = readFileSync(`/proc/${pid}/mountinfo`, "latin1");
    const inode = BigInt(descriptorFacts(executable).inode);
    const identity = kernelIdentity({ fdinfo, mountinfo }, inode);
    const namespace = /^mnt:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/ns/mnt`))?.[1];
    // Then all of that was about this process, and not about a later one of its number.
    if (identity === undefined || !processLives(process)) throw new TypeError("it has ended");
    return { executable: { ...identity, mountNamespace: Number(namespace ?? 0) }, mountinfo };
  } finally {
    if (executable !== undefined) closeSync(executable);
    closeDescriptor(process);
  }
}
