import {
  type FileOwnership,
  fileOwnership,
  hasFileCapabilities,
  isMountedWithoutPrivileges,
  processStatus,
  SyscallError,
} from "@svc/kernel";
import type { Privileges } from "./choose-following.ts";

const S_ISUID = 0o4000;
const S_ISGID = 0o2000;
const S_IXGRP = 0o010;
const CAP_SETGID = 6n;
const CAP_SETUID = 7n;
const CAP_SYS_PTRACE = 19n;
const CAP_SYS_ADMIN = 21n;

/**
 * True if execve of the file would give a process (this one by default) more privileges:
 * set-user-ID, set-group-ID and file capabilities, as far as they have an effect there; execve(2).
 */
export function raisesPrivileges(path: Uint8Array, pid: number | "self" = "self"): boolean {
  const ownership = fileOwnership(path);
  if (ownership === undefined) return false;
  const mayChangeIds = (ownership.mode & (S_ISUID | S_ISGID)) !== 0;
  // Most files: nothing of the process matters.
  if (!mayChangeIds && !hasFileCapabilities(path)) return false;
  const status = statusOf(pid);
  if (!changesIds(ownership, status) && !hasFileCapabilities(path)) return false;
  return !isMountedWithoutPrivileges(path) && status.get("NoNewPrivs") !== "1";
}

/**
 * True if execve under this process's tracing could withhold the privileges of a program's file:
 * the kernel does so unless the tracer has CAP_SYS_PTRACE; ptrace(2).
 */
export function tracingWithholdsPrivileges(): boolean {
  const status = statusOf("self");
  if (status.get("NoNewPrivs") === "1") return false;
  return ((BigInt(`0x${status.get("CapEff") ?? "0"}`) >> CAP_SYS_PTRACE) & 1n) === 0n;
}

/** The privileges of this process, and those that it could get, from /proc/self/status. */
export function ownPrivileges(): Privileges {
  const status = statusOf("self");
  const set = (name: string) => BigInt(`0x${status.get(name) ?? "0"}`);
  const effective = set("CapEff");
  const has = (capability: bigint) => ((effective >> capability) & 1n) === 1n;
  return {
    isRoot: effectiveId(status, "Uid") === 0,
    noNewPrivileges: status.get("NoNewPrivs") === "1",
    sysAdmin: has(CAP_SYS_ADMIN),
    sysPtrace: has(CAP_SYS_PTRACE),
    mayChangeUser: has(CAP_SETUID) || has(CAP_SETGID),
    hasAll: status.has("CapBnd") && set("CapBnd") === set("CapPrm"),
  };
}

/**
 * Without /proc nothing is known, and every file that may raise privileges counts as one that does.
 */
function statusOf(pid: number | "self"): ReadonlyMap<string, string> {
  try {
    return processStatus(pid);
  } catch (error) {
    if (error instanceof SyscallError && pid === "self" && error.code === "ENOENT")
      return new Map();
    throw error;
  }
}

function changesIds(
  { mode, uid, gid }: FileOwnership,
  status: ReadonlyMap<string, string>,
): boolean {
  if ((mode & S_ISUID) !== 0 && uid !== effectiveId(status, "Uid")) return true;
  // Without the execute bit it means mandatory locking.
  return (mode & S_ISGID) !== 0 && (mode & S_IXGRP) !== 0 && gid !== effectiveId(status, "Gid");
}

/** The second of the real, effective, saved and file system's ID. */
function effectiveId(status: ReadonlyMap<string, string>, name: "Uid" | "Gid"): number {
  return Number(status.get(name)?.split("\t")[1] ?? Number.NaN);
}
