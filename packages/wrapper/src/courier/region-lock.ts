import type { MapOptions } from "@svc/kernel";
import { lockLimitMessage } from "../lock-limit-message.ts";
import type { CourierContext } from "./courier-context.ts";
import { secretLock } from "./engine/secret-lock.ts";

/** How regions are mapped: if SVC_REQUIRE_MLOCK asks for locked pages, others are an error. */
export function regionLock({ jobMessage, log }: CourierContext): MapOptions {
  if (jobMessage.settings.memory.requireMlock) return {};
  return {
    // The program keeps its region; this courier will be gone in a moment.
    makeRoom: secretLock.makeRoom,
    onUnlocked: (error, lengthBytes) => {
      const message = lockLimitMessage("lock secrets", error, lengthBytes);
      log.warn(`degraded: secrets may be written to swap: ${message}`);
    },
  };
}
