import type { CheckOutcome } from "../life/life.ts";
import { longestErrandMs } from "../life/longest-stage.ts";
import type { CheckJob } from "../messages/courier-job.ts";
import type { WrapperSettings } from "../settings.ts";
import { type ErrandPorts, runErrand } from "./errand.ts";

export interface CheckPorts extends ErrandPorts {
  readonly settings: Pick<WrapperSettings, "vault">;
}

/** Has a courier renew the due tokens and leases, and look whether a secret has changed. */
export async function runCheck(
  ports: CheckPorts,
  job: CheckJob,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const outcome = await runErrand(ports, job, ["checked"], {
    timeoutMs: longestErrandMs(ports.settings),
    signal,
  });
  return outcome.kind === "done" ? { kind: "done", result: outcome.message } : outcome;
}
