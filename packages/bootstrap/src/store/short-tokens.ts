import { VaultError } from "@svc/vault";
import type { RoleRequest } from "./role.ts";
import type { StoreAccess } from "./store-access.ts";

/** There is no mount yet in a dry run, and only a root token is sure to be told. */
const untold: ReadonlySet<string> = new Set(["BAD_REQUEST", "DENIED"]);

/**
 * Says that tokens of a role end before its TTL: a login cuts it at the maximum of the auth mount.
 * Undefined if they do not, or if the
 * store does not tell.
 *
 * @throws VaultError
 */
export async function shortTokens(
  { admin, token }: StoreAccess,
  { authPath, ttlSeconds }: Pick<RoleRequest, "authPath" | "ttlSeconds">,
): Promise<string | undefined> {
  const path = `sys/auth/${authPath}/tune`;
  const tuning = await admin.read(token, path).catch((error: unknown) => {
    if (error instanceof VaultError && untold.has(error.code)) return undefined;
    throw error;
  });
  const most = tuning?.["max_lease_ttl"];
  if (typeof most !== "number" || most === 0 || most >= ttlSeconds) return undefined;
  return `BOOTSTRAP_ROLE_TTL: tokens end after ${most} s, not ${ttlSeconds} s: ${path} has max_lease_ttl=${most}`;
}
