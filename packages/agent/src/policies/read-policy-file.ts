import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import process from "node:process";
import type { PolicyText } from "./follow-policies.ts";

/** A file of policies is a few pages; another one is a mistake. */
const MOST_BYTES = 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;

/** Reads POLICY_FILE. A file that others than its owner may write says nothing: who writes it allows. */
export function readPolicyFile(path: string, uid = process.geteuid?.() ?? 0): PolicyText {
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    const { mode, uid: owner, size } = fstatSync(fd);
    if (owner !== 0 && owner !== uid) return unusable(path, `it is user ${owner}'s, not root's`);
    if (mode & WRITABLE_BY_OTHERS) return unusable(path, "others than its owner may write it");
    if (size > MOST_BYTES) return unusable(path, `it has ${size} bytes, more than ${MOST_BYTES}`);
    return { kind: "text", text: readFileSync(fd, "utf8") };
  } catch (error) {
    if (isAbsent(error)) return { kind: "absent" };
    return unusable(path, error instanceof Error ? error.message : typeof error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function unusable(path: string, found: string): PolicyText {
  return { kind: "unusable", reason: `read POLICY_FILE (${path}): ${found}` };
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
