import { SIGHUP } from "@svc/kernel";
import type { Logger } from "../log.ts";
import { endsBySignal } from "../program/ends-by-signal.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { WrapperSettings } from "../settings.ts";

/**
 * Says that SIGHUP will end the program if SVC_ROTATION=sighup and the process that gets it has
 * no handler: a shell that waits for the program, for example. To be called once the program has
 * had time to set one.
 */
export function warnOfSighup(
  { settings, log }: { readonly settings: WrapperSettings; readonly log: Logger },
  pid: number,
): void {
  if (!rotationOf(settings).refreshes || !endsBySignal(pid, SIGHUP)) return;
  if (settings.onlyFiles) {
    log.info("the program has no handler for SIGHUP: of new files it is not told", {
      hint: "SVC_ROTATION=restart starts it again with them",
    });
    return;
  }
  log.warn("SVC_ROTATION=sighup: the program has no handler for SIGHUP: the signal will end it", {
    hint: "a shell hands no signal on: let it execute the program (exec program …)",
  });
}
