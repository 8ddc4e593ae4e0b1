import { lockPresentPages, lockWritableMemory, memoryLockLimit, SyscallError } from "@svc/kernel";
import { failure, WrapperError } from "../../errors.ts";
import type { CourierContext } from "../courier-context.ts";
import type { SecretLock } from "../secret-lock.ts";

let isWhole = false;

/** On Bun secrets may be anywhere in the heaps and stacks: all of these are locked. */
export const secretLock: SecretLock = {
  begin(context) {
    isWhole = lockMemory(context);
  },
  arrived(context) {
    if (context.brief.settings.memory.requireMlock) isWhole = lockMemory(context) || isWhole;
  },
  isWhole: () => isWhole,
  // What Bun keeps of its connections it does not let go.
  forget: () => undefined,
  makeRoom: () => false,
};

/** True where all are locked, those to come included. */
function lockMemory({ brief }: CourierContext): boolean {
  const { requireMlock } = brief.settings.memory;
  try {
    if (lockWritableMemory()) return true;
    // Where it is not required, the region has the first claim on what may be locked.
    if (requireMlock) lockPresentPages();
    return requireMlock;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (requireMlock) throw mlockFailed(error);
    return false;
  }
}

function mlockFailed(error: SyscallError): WrapperError {
  const message = `lock memory: ${error.message}: RLIMIT_MEMLOCK is ${memoryLockLimit()} bytes`;
  return new WrapperError([failure("MLOCK_FAILED", message)], error);
}
