import type { PermitSaying } from "@svc/protocol";
import { sleep } from "@svc/vault";
import type { PermitOutcome } from "../life/life.ts";
import { longestErrandMs } from "../life/longest-stage.ts";
import type { Logger } from "../log.ts";
import type { WrapperSettings } from "../settings.ts";
import { type ErrandPorts, runErrand } from "./errand.ts";

export interface PermitPorts extends ErrandPorts {
  readonly settings: Pick<WrapperSettings, "vault">;
  readonly log: Logger;
}

/** Between two attempts to tell the operator that a rotation is over. */
const PAUSES_MS = [2000, 8000, 30_000];

/** Has a courier ask the operator for a permit. */
export async function askPermit(
  ports: PermitPorts,
  expiresInMs: number | undefined,
  signal: AbortSignal,
): Promise<PermitOutcome> {
  const expires = expiresInMs === undefined ? {} : { expiresInMs };
  const outcome = await send(ports, { say: "ask", ...expires }, signal);
  return outcome.kind === "done"
    ? { kind: "answered", answer: outcome.message.answer }
    : { kind: "unanswered", failures: outcome.failures };
}

/**
 * Has a courier tell the operator that a rotation is over, so that the next pod may go. The
 * operator finds out by itself if it never hears, only later.
 */
export async function tellPermit(ports: PermitPorts, say: "done" | "kept"): Promise<void> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const outcome = await send(ports, { say });
    if (outcome.kind === "done") return;
    if (pauseMs === undefined) {
      for (const { code, message } of outcome.failures) ports.log.info(message, { code });
      return;
    }
    await sleep(pauseMs);
  }
}

function send(
  ports: PermitPorts,
  job: { readonly say: PermitSaying; readonly expiresInMs?: number },
  signal?: AbortSignal,
) {
  return runErrand(ports, { kind: "permit", ...job }, ["permit"], {
    timeoutMs: longestErrandMs(ports.settings),
    ...(signal && { signal }),
  });
}
