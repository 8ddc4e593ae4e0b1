import { printable } from "@svc/settings";
import { parseAddress } from "@svc/vault";

/** A vault, as VAULT_ADDR and VAULT_NAMESPACE name it. */
export interface VaultPlace {
  readonly address: string;
  readonly namespace?: string | undefined;
}

/** Whether two names are of the same place. A vault with two addresses is two of them. */
export function isSameVault(one: VaultPlace, other: VaultPlace): boolean {
  const address = plainAddress(one.address);
  return (
    address !== undefined &&
    address === plainAddress(other.address) &&
    plainNamespace(one) === plainNamespace(other)
  );
}

/** For people, on one line. An address that cannot be used is not repeated. */
export function vaultText(place: VaultPlace): string {
  const address = plainAddress(place.address) ?? "an address that is not one";
  const namespace = plainNamespace(place);
  return printable(namespace === "" ? address : `${address} (namespace ${namespace})`);
}

function plainAddress(address: string): string | undefined {
  try {
    return parseAddress(address);
  } catch {
    return undefined;
  }
}

function plainNamespace({ namespace = "" }: VaultPlace): string {
  return namespace.replace(/^\/+|\/+$/g, "");
}
