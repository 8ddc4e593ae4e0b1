import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import type { PolicyText } from "./follow-policies.ts";

/** A file of policies is a few pages; another one is a mistake. */
const MOST_BYTES = 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;
/** In such a folder only its owner replaces a file. */
const STICKY = 0o1000;
/** As long as this after a write another part of the file may follow. */
const SETTLED_MS = 1000;

/** A user that may own the file, and the time. */
export interface PolicyFileContext {
  readonly uid?: number;
  readonly nowMs?: number;
}

/**
 * Reads POLICY_FILE. A file that another user may write or replace says nothing: that user would
 * allow things.
 */
export function readPolicyFile(path: string, context: PolicyFileContext = {}): PolicyText {
  const { uid = process.geteuid?.() ?? 0, nowMs = Date.now() } = context;
  let fd: number | undefined;
  try {
    // The opener of a pipe waits for a writer.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(fd);
    const objection = objectionTo(status, uid) ?? objectionToPlace(path, uid);
    if (objection !== undefined) return unusable(path, objection);
    const age = Math.abs(nowMs - status.ctimeMs);
    if (age < SETTLED_MS) return { kind: "unsettled" };
    return { kind: "text", text: readFileSync(fd, "utf8") };
  } catch (error) {
    if (isAbsent(error)) return { kind: "absent" };
    return unusable(path, error instanceof Error ? error.message : typeof error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function objectionTo({ mode, uid: owner, size }: Stats, uid: number): string | undefined {
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return "not a regular file";
  if (owner !== 0 && owner !== uid) return `it is user ${owner}'s, not root's`;
  if (mode & WRITABLE_BY_OTHERS) return "others than its owner may write it";
  if (size > MOST_BYTES) return `it has ${size} bytes, more than ${MOST_BYTES}`;
  return undefined;
}

/** Another user may put a file in its place, in one of the folders above it. */
function objectionToPlace(path: string, uid: number): string | undefined {
  let folder = dirname(realpathSync(path));
  for (;;) {
    if (isOfOthers(folder, uid)) return `others than root may change ${folder}`;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

function isOfOthers(folder: string, uid: number): boolean {
  const { mode, uid: owner } = statSync(folder);
  const isOthers = owner !== 0 && owner !== uid;
  const isOpen = (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0;
  return (isOthers || isOpen) && !isReadOnly(folder);
}

/**
 * The mode of a ConfigMap's folder lets every user write, but its file system is read-only;
 * access(2).
 */
function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return hasCode(error, "EROFS");
  }
}

function unusable(path: string, found: string): PolicyText {
  return { kind: "unusable", reason: `read POLICY_FILE (${path}): ${found}` };
}

function isAbsent(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
