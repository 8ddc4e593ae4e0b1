import { networkInterfaces } from "node:os";

/**
 * An address of this machine that is not on the loopback, which Kubernetes refuses in endpoints.
 * Packets to it do not leave the machine.
 */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const found = all.find(({ family, internal, address }) => {
    return family === "IPv4" && !internal && !address.startsWith("169.254.");
  });
  if (found === undefined) throw new TypeError("this machine has no address beside the loopback");
  return found.address;
}
