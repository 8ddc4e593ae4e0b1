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

/** Every kubelet listens there for plugins of devices. */
const SOCKET = "device-plugins/kubelet.sock";

/**
 * Finds the executable of the machine's kubelet: the kernel says which process listens at the
 * kubelet's own socket (SO_PEERCRED, unix(7)).
 *
 * @param folder the kubelet's folder, as this process reaches it
 * @throws SyscallError, Error of node:fs: there is no kubelet, or the agent cannot look at it
 */
export function findKubelet(folder: string): KubeletFile {
  const connection = connectAt(join(folder, SOCKET));
  try {
    const { pid } = socketPeer(connection);
    if (pid === 0) throw new TypeError("it is in another pid namespace");
    return executableOf(pid);
  } finally {
    closeDescriptor(connection);
  }
}

function executableOf(pid: number): KubeletFile {
  const process = openProcess(pid);
  let executable: number | undefined;
  try {
    executable = openSync(`/proc/${pid}/exe`, "r");
    const texts = {
      fdinfo: readFileSync(`/proc/self/fdinfo/${executable}`, "utf8"),
      mountinfo: readFileSync(`/proc/${pid}/mountinfo`, "utf8"),
    };
    const identity = kernelIdentity(texts, BigInt(descriptorFacts(executable).inode));
    const namespace = /^mnt:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/ns/mnt`))?.[1];
    // Then all of that was about this process, and not about a later one of its number.
    if (identity === undefined || !processLives(process)) throw new TypeError("it has ended");
    return { ...identity, mountNamespace: Number(namespace ?? 0) };
  } finally {
    if (executable !== undefined) closeSync(executable);
    closeDescriptor(process);
  }
}
