import type { CheckOutcome } from "../life/life.ts";
import type { CheckJob } from "../messages/courier-job.ts";
import type { WrapperSettings } from "../settings.ts";
import { type ErrandPorts, runErrand } from "./errand.ts";

/** A courier that hangs is ended; its own limits are well below. */
const TIMEOUT_MS = 60_000;

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
    timeoutMs: TIMEOUT_MS + ports.settings.vault.requestTimeoutMs,
    signal,
  });
  return outcome.kind === "done" ? { kind: "done", result: outcome.message } : outcome;
}
