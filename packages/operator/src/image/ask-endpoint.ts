import type { ImageErrorCode } from "./error-catalogue.ts";
import type { FoundImage } from "./found-image.ts";
import { ImageError } from "./image-error.ts";
import type { Lookup } from "./lookup.ts";
import { isOwnAddress } from "./private-address.ts";
import { refuseWhileOpen } from "./refuse-while-open.ts";
import type { RegistryEndpoint } from "./registry-endpoint.ts";
import { tryCredentials } from "./try-credentials.ts";

/**
 * Repeated failures of these kinds open the breaker of a server. Its answers about one image do
 * not.
 */
const serverFaults: ReadonlySet<ImageErrorCode> = new Set([
  "UNREACHABLE",
  "TIMEOUT",
  "SERVER_ERROR",
  "TLS",
]);

/**
 * Asks one server with every credential that matches, one after the other, unless it is being left
 * alone.
 *
 * @throws ImageError
 */
export async function askEndpoint(
  endpoint: RegistryEndpoint,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<FoundImage> {
  const { breaker } = lookup.memory;
  refuseOwnAddress(endpoint, lookup);
  refuseWhileOpen(["server", endpoint.origin], endpoint, lookup);
  try {
    const found = await tryCredentials({ endpoint, lookup, signal });
    breaker.succeeded(endpoint.origin);
    return found;
  } catch (error) {
    if (error instanceof ImageError && serverFaults.has(error.code))
      breaker.failed(endpoint.origin);
    else if (!(error instanceof ImageError && error.code === "CANCELLED"))
      breaker.succeeded(endpoint.origin);
    throw error;
  }
}

/**
 * A registry on the node's loopback is not on the operator's. The author of a pod must not make the
 * operator ask the operator's own neighbours, such as a cloud's metadata, and learn their status.
 */
function refuseOwnAddress({ host, origin, mirrorOf }: RegistryEndpoint, lookup: Lookup): void {
  const { insecureRegistries, authorities, trustedHosts, defaultRegistry } = lookup.settings;
  const named = [
    ...Object.keys(insecureRegistries),
    ...Object.keys(authorities),
    ...trustedHosts,
    defaultRegistry?.server,
  ];
  if (mirrorOf !== undefined || named.includes(host) || !isOwnAddress(new URL(origin).hostname))
    return;
  const found = "it is an address of the node's own, at which the operator finds something else";
  throw new ImageError("UNREACHABLE", `${lookup.operation} at ${host}: ${found}`, {
    hint: "set the container's command, or name the registry in the operator's settings",
  });
}
