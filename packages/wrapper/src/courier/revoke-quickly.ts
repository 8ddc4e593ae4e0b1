import type { Secret } from "@svc/vault";
import { connect } from "./connect.ts";
import type { CourierContext } from "./courier-context.ts";

// The program's start waits for this with SVC_ROTATION=none, else the wrapper's end.
const TIMEOUT_MS = 2000;

/**
 * Ends a token, and all that was leased with it. One try: it expires by itself, too.
 *
 * @throws VaultError if that does not work within two seconds.
 */
export async function revokeQuickly(context: CourierContext, token: Secret): Promise<void> {
  const client = connect(context, { maxAttempts: 1, deadlineMs: TIMEOUT_MS }, TIMEOUT_MS);
  await client.revokeSelf(token);
}
