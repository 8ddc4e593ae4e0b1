import type { BootstrapSettings } from "./settings.ts";

/**
 * The URL of one of the store's pods, `<release>-<n>.<release>-internal.<namespace>`, with the scheme,
 * the port and the path of the store's own address. A service in front of the pods chooses one of them;
 * unsealing and joining are for each.
 *
 * @param index from 0
 */
export function podAddress(
  { address, namespace, releaseName }: BootstrapSettings["store"],
  index: number,
): string {
  const host = `${releaseName}-${index}.${releaseName}-internal.${namespace}`;
  // The settings' parser has left scheme, host and port in every address.
  return address.replace(/^(https?:\/\/)(?:\[[^\]]*\]|[^:/]+)(:\d+)/, `$1${host}$2`);
}
