import {
  lockPresentPages,
  lockWritableMemory,
  type MapOptions,
  memoryLockLimit,
  SyscallError,
} from "@svc/kernel";
import { failure, WrapperError } from "../errors.ts";
import { lockLimitMessage } from "../lock-limit-message.ts";
import type { CourierContext } from "./courier-context.ts";

/**
 * Locks the memory in which this courier will hold the token and the values. To be called before
 * they arrive; lockArrived follows once they have.
 *
 * @returns true where every page of its heaps and stacks is locked, those to come included.
 * @throws WrapperError `MLOCK_FAILED` where SVC_REQUIRE_MLOCK asks for it and it fails.
 */
export function lockMemory({ brief }: CourierContext): boolean {
  const { requireMlock } = brief.settings.memory;
  try {
    if (lockWritableMemory()) return true;
    // Where it is not required, the region has the first claim on what may be locked.
    if (requireMlock) lockPresentPages();
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (requireMlock) throw mlockFailed(error);
  }
  return false;
}

function mlockFailed(error: SyscallError): WrapperError {
  const message = `lock memory: ${error.message}: RLIMIT_MEMLOCK is ${memoryLockLimit()} bytes`;
  return new WrapperError([failure("MLOCK_FAILED", message)], error);
}

/**
 * Locks the pages that came with the values, where SVC_REQUIRE_MLOCK asks for it.
 *
 * @throws WrapperError `MLOCK_FAILED`
 */
export function lockArrived(context: CourierContext): void {
  if (context.brief.settings.memory.requireMlock) lockMemory(context);
}

/** How regions are mapped: where SVC_REQUIRE_MLOCK asks for locked pages, others are an error. */
export function regionLock({ brief, log }: CourierContext): MapOptions {
  if (brief.settings.memory.requireMlock) return {};
  return {
    onUnlocked: (error, lengthBytes) => {
      const message = lockLimitMessage("lock secrets", error, lengthBytes);
      log.warn(`degraded: secrets may be written to swap: ${message}`);
    },
  };
}
