import type { CourierContext } from "./courier-context.ts";
import { revokeQuickly } from "./revoke-quickly.ts";
import { readSession } from "./session-region.ts";

/** Ends the session's token. */
export async function revoke(context: CourierContext): Promise<void> {
  const { token } = readSession(context);
  if (token === undefined) return;
  await revokeQuickly(context, token);
  context.say({ kind: "revoked" });
}
