import { ImageError } from "./image-error.ts";
import type { Lookup } from "./lookup.ts";
import type { RegistryEndpoint } from "./registry-endpoint.ts";
import { inSeconds } from "./status-error.ts";

const reasons = {
  server: { code: "CIRCUIT_OPEN", after: "after its last answer" },
  user: { code: "RATE_LIMITED", after: "since it answered with status 429 (toomanyrequests)" },
} as const;

/**
 * Refuses to ask a server that keeps failing, or a user's server that has had too many requests.
 *
 * @throws ImageError `CIRCUIT_OPEN`, `RATE_LIMITED`
 */
export function refuseWhileOpen(
  [whose, key]: readonly [whose: keyof typeof reasons, key: string],
  { host }: RegistryEndpoint,
  { memory, operation }: Lookup,
): void {
  const retryAfterMs = memory.breaker.waitMs(key);
  if (retryAfterMs === 0) return;
  const { code, after } = reasons[whose];
  const found = `it is left alone for ${inSeconds(retryAfterMs)} ${after}`;
  throw new ImageError(code, `${operation} at ${host}: ${found}`, { retryAfterMs });
}
