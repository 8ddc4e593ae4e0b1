import { ImageError } from "./image-error.ts";
import type { Lookup } from "./lookup.ts";
import type { RegistryEndpoint } from "./registry-endpoint.ts";

/**
 * Refuses to ask a server, or a user of one, that is being left alone.
 *
 * @throws ImageError `CIRCUIT_OPEN`
 */
export function refuseWhileOpen(
  key: string,
  { host }: RegistryEndpoint,
  { memory, operation }: Lookup,
): void {
  const waitMs = memory.breaker.waitMs(key);
  if (waitMs === 0) return;
  const found = `it is left alone for ${Math.ceil(waitMs / 1000)} s after its last answer`;
  throw new ImageError("CIRCUIT_OPEN", `${operation} at ${host}: ${found}`, {
    retryAfterMs: waitMs,
  });
}
