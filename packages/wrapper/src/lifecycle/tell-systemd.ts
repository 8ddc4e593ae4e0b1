import type { Phase } from "../life/life.ts";
import type { Notifier } from "./notify-systemd.ts";

/**
 * Follows the phases for systemd: started when the program runs, reloading while it is replaced.
 */
export function tellSystemd(notifier: Notifier): (phase: Phase) => void {
  let isStarted = false;
  return (phase) => {
    switch (phase.kind) {
      case "running":
        isStarted = true;
        return notifier.ready(
          phase.sealed === true
            ? "the program runs; sealed: POST /v1/unseal has to bring a token"
            : "the program runs",
        );
      case "restarting":
        // A service that is not started yet cannot reload.
        return isStarted ? notifier.reloading(phase.reason) : notifier.status(phase.reason);
      case "stopped":
        notifier.stopping(phase.reason);
        return notifier.stop();
      case "starting":
      case "sealed":
      case "draining":
        return notifier.status(`${phase.kind}: ${phase.reason}`);
    }
  };
}
