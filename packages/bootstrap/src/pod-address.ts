/**
 * The URL of one of the store's pods: the scheme, the port and the path of the store's own address,
 * and the pod's name. A service in front of the pods chooses one of them; unsealing and joining are
 * for each.
 *
 * @param address of the store's service
 * @param host the pod's name in the cluster's DNS
 */
export function podAddress(address: string, host: string): string {
  // The settings' parser has left scheme, host and port in every address.
  return address.replace(/^(https?:\/\/)(?:\[[^\]]*\]|[^:/]+)(:\d+)/, `$1${host}$2`);
}
