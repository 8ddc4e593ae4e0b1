import {
  closeDescriptor,
  openProcess,
  processLives,
  socketPeer,
  socketPeerProcess,
  UnsupportedFeatureError,
} from "@svc/kernel";

import { AgentError } from "../agent-error.ts";
import { cgroupIdentity, systemdUnit } from "../report/cgroup-identity.ts";
import type { AdmissionGroup } from "./admission.ts";
import { type Authority, authorityOf, type RegistrationRules } from "./authority.ts";
import { type ProcessFacts, readCgroup, readProcess } from "./process-facts.ts";

/** A wrapper at the other end of the socket, by the kernel's word. */
export interface LocalCaller {
  readonly by: "socket";
  readonly pidfd: number;
  readonly uid: number;
  readonly process: ProcessFacts;
  readonly podUid?: string;
  readonly containerId?: string;
  /** The authority of the caller to register; undefined without authority. */
  readonly authority?: Authority;
}

/** A wrapper behind TCP, by the API server's word or a certificate's. */
export interface RemoteCaller {
  readonly by: "token" | "certificate";
  /** The pod that its token is bound to; a certificate says nothing about pods. */
  readonly podUid?: string;
}

export type Caller = LocalCaller | RemoteCaller;

/**
 * The peer of a unix socket. The caller owns the pidfd.
 *
 * @throws AgentError `REGISTRATION_FAILED` if that process is gone, or in a pid namespace that
 * the agent cannot see
 */
export function identifyCaller(socketFd: number, rules: RegistrationRules = noRules): LocalCaller {
  const { pid, uid } = socketPeer(socketFd);
  if (pid === 0) throw unidentified("it is in a pid namespace that the agent cannot see");
  const { pidfd, startTicks } = openPeer(socketFd, pid);
  const process = readProcess(pid);
  const same = startTicks === undefined || startTicks === process?.startTicks;
  if (process === undefined || !same || !processLives(pidfd)) {
    closeDescriptor(pidfd);
    throw unidentified("its process has ended");
  }
  const { path: _, ...pod } = cgroupIdentity(process.cgroup);
  const authority = authorityOf({ uid, cgroup: process.cgroup }, rules);
  return { by: "socket", pidfd, uid, process, ...pod, ...(authority && { authority }) };
}

const noRules: RegistrationRules = { users: [], units: [] };

/**
 * The group of a new connection; undefined if its process is gone. It is cheap, because it is used
 * in a flood as well, and the process of that number may be another one by now: it decides only
 * about room.
 */
export function groupOf(socketFd: number, rules: RegistrationRules): AdmissionGroup | undefined {
  const { pid, uid } = socketPeer(socketFd);
  const cgroup = readCgroup(pid);
  if (cgroup === undefined) return undefined;
  switch (authorityOf({ uid, cgroup }, rules)) {
    case "pod":
      return { kind: "pod", name: cgroupIdentity(cgroup).podUid ?? "" };
    case "unit":
      return { kind: "user", name: systemdUnit(cgroup) ?? "" };
    case "user":
      return { kind: "user", name: String(uid) };
    case undefined:
      return { kind: "stranger", name: String(uid) };
  }
}

/**
 * Before Linux 6.5 the number is all there is; its start is compared, so that a later process is
 * not taken for it.
 */
function openPeer(socketFd: number, pid: number): { pidfd: number; startTicks?: number } {
  try {
    return { pidfd: socketPeerProcess(socketFd) };
  } catch (error) {
    if (!(error instanceof UnsupportedFeatureError)) throw unidentified("its process has ended");
  }
  const before = readProcess(pid);
  if (before === undefined) throw unidentified("its process has ended");
  return { pidfd: openProcess(pid), startTicks: before.startTicks };
}

function unidentified(found: string): AgentError {
  return new AgentError("REGISTRATION_FAILED", `identify the caller: ${found}`);
}
