import { runErrand } from "./errand.ts";
import type { World } from "./world.ts";

/** The courier's own limit is 2 s; the wrapper's end waits no longer than that for it. */
const TIMEOUT_MS = 2500;

/** Ends a token that the wrapper has logged in for, so that none is left behind. Others are not its own. */
export async function revokeToken(world: World): Promise<void> {
  const { session, log } = world;
  if (!session.hasToken || session.token?.own !== true) return;
  const outcome = await runErrand(world, { kind: "revoke" }, ["revoked"], {
    timeoutMs: TIMEOUT_MS,
  });
  if (outcome.kind === "done") return;
  for (const { code, message } of outcome.failures) {
    log.info(`the token is left to expire: ${message}`, { code });
  }
}
