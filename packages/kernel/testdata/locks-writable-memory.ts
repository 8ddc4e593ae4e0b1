// Says how much of its writable memory could be locked.
import { lockPresentPages, lockWritableMemory, SyscallError } from "../src/index.ts";

process.stdout.write(JSON.stringify({ outcome: outcome() }));

function outcome(): string {
  try {
    if (lockWritableMemory()) return "all";
    lockPresentPages();
    return "present pages";
  } catch (error) {
    if (error instanceof SyscallError) return error.code;
    throw error;
  }
}
