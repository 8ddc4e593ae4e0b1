import type { Logger } from "../log.ts";
import type { SessionHolder } from "../processes/session-holder.ts";
import { type ErrandPorts, runErrand } from "./errand.ts";

/** The courier's own limit is 2 s; the wrapper's end waits no longer than that for it. */
const TIMEOUT_MS = 2500;

export interface RevokePorts extends ErrandPorts {
  readonly session: Pick<SessionHolder, "hasToken" | "token">;
  readonly log: Logger;
}

/**
 * Ends a token that the wrapper has logged in for, so that none is left behind. Others are not its
 * own, and nothing can end a batch token.
 */
export async function revokeToken(ports: RevokePorts): Promise<void> {
  const { session, log } = ports;
  if (!session.hasToken || session.token?.own !== true || session.token.isBatch === true) return;
  const outcome = await runErrand(ports, { kind: "revoke" }, ["revoked"], {
    timeoutMs: TIMEOUT_MS,
  });
  if (outcome.kind === "done") return;
  for (const { code, message } of outcome.failures) {
    log.info(`the token is left to expire: ${message}`, { code });
  }
}
