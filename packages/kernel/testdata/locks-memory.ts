// Prints RLIMIT_MEMLOCK and whether all memory could be locked.
import { readFileSync } from "node:fs";
import { lockAllMemory, memoryLockLimit, SyscallError } from "../src/index.ts";
import { statusLine } from "./process-status.ts";

const limit = memoryLockLimit();
const shown = /^Max locked memory\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
const sameAsProc = shown === (limit === Number.POSITIVE_INFINITY ? "unlimited" : String(limit));
process.stdout.write(JSON.stringify({ limit, sameAsProc, outcome: outcome() }));

function outcome(): string {
  try {
    lockAllMemory();
  } catch (error) {
    if (error instanceof SyscallError) return error.code;
    throw error;
  }
  return Number.parseInt(statusLine("VmLck"), 10) > 0 ? "locked" : "not locked";
}
