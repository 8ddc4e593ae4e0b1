import { connect } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";
import { readSession } from "./session-region.ts";

// The program has ended and somebody waits for the wrapper to do so.
const TIMEOUT_MS = 2000;

/** Ends the session's token, and all that was leased with it. One try: it expires by itself, too. */
export async function revoke(context: CourierContext): Promise<void> {
  const { token } = readSession(context);
  if (token === undefined) return;
  const client = connect(context, { maxAttempts: 1, deadlineMs: TIMEOUT_MS }, TIMEOUT_MS);
  await client.revokeSelf(token);
  context.say({ kind: "revoked" });
}
