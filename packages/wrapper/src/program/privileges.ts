import {
  effectiveIds,
  type FileOwnership,
  fileOwnership,
  hasFileCapabilities,
  isMountedWithoutPrivileges,
  processStatus,
} from "@svc/kernel";

const S_ISUID = 0o4000;
const S_ISGID = 0o2000;
const S_IXGRP = 0o010;
const CAP_SYS_PTRACE = 19n;

/**
 * True where execve of the file would give the process more than it has: set-user-ID, set-group-ID
 * and file capabilities, as far as they have an effect here; execve(2).
 */
export function raisesPrivileges(path: Uint8Array): boolean {
  const ownership = fileOwnership(path);
  if (ownership === undefined) return false;
  if (!changesIds(ownership) && !hasFileCapabilities(path)) return false;
  return !isMountedWithoutPrivileges(path) && statusNumber("NoNewPrivs", 10) === 0n;
}

/**
 * True where execve under this process's tracing could withhold what a program's file grants: the
 * kernel does so unless the tracer has CAP_SYS_PTRACE; ptrace(2).
 */
export function tracingWithholdsPrivileges(): boolean {
  if (statusNumber("NoNewPrivs", 10) === 1n) return false;
  return ((statusNumber("CapEff", 16) >> CAP_SYS_PTRACE) & 1n) === 0n;
}

function changesIds({ mode, uid, gid }: FileOwnership): boolean {
  const ours = effectiveIds();
  if ((mode & S_ISUID) !== 0 && uid !== ours.uid) return true;
  // Without the execute bit it means mandatory locking.
  return (mode & S_ISGID) !== 0 && (mode & S_IXGRP) !== 0 && gid !== ours.gid;
}

function statusNumber(name: string, radix: 10 | 16): bigint {
  const text = processStatus().get(name) ?? "0";
  return BigInt(radix === 16 ? `0x${text}` : text);
}
