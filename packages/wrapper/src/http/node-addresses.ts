import { readWholeFile, SyscallError } from "@svc/kernel";

const MAX_ROUTE_BYTES = 1 << 20;
const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * The addresses from which the kubelet probes, as far as they are known. These are loopback, the node's address if the settings have it, and the default gateway, which is the
 * node with a bridge.
 *
 * @param nodeIp SVC_EBPF_NODE_IP.
 */
export function nodeAddresses(nodeIp: string | undefined): readonly string[] {
  const given = nodeIp === undefined ? [] : [nodeIp];
  return [...LOOPBACK, ...given, ...defaultGateways(routeTable())];
}

/**
 * The gateways of the default routes in the text of /proc/net/route, whose addresses are numbers in
 * the machine's byte order; proc_net(5). Pure.
 */
export function defaultGateways(routes: string): readonly string[] {
  const lines = routes.matchAll(/^\S+\t0{8}\t([0-9A-F]{8})\t/gm);
  return [...lines].map(([, hex = ""]) => {
    const bytes = [6, 4, 2, 0].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    return bytes.join(".");
  });
}

/** Empty if there is no /proc, or no IPv4. */
function routeTable(): string {
  try {
    return new TextDecoder().decode(readWholeFile("/proc/net/route", MAX_ROUTE_BYTES));
  } catch (error) {
    if (error instanceof SyscallError) return "";
    throw error;
  }
}
