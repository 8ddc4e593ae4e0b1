import { isRemotePlaintext, type Problem, problem, quoted } from "@svc/settings";
import type { InjectionSettings } from "./injection-settings.ts";

/** The permission for it. */
const HINT = "the operator permits it by namespace: --insecure-vault-namespaces";

type Permission = Pick<InjectionSettings, "permitsInsecureVault" | "namespace">;

/**
 * A problem if the way to a vault is open and the namespace is not permitted that. On the pod's
 * own loopback nothing crosses a network.
 */
export function plaintextProblems(
  { permitsInsecureVault, namespace }: Permission,
  place: string,
  address: string,
): readonly Problem[] {
  if (permitsInsecureVault || !isRemotePlaintext(address)) return [];
  const wanted = `an https:// address in namespace ${namespace}`;
  return [problem({ variable: place, wanted, found: `got ${quoted(address)}`, hint: HINT })];
}

/** A problem if the vault's certificate is not verified, likewise. */
export function unverifiedProblems(
  { permitsInsecureVault, namespace }: Permission,
  place: string,
  found: string,
): readonly Problem[] {
  if (permitsInsecureVault) return [];
  const wanted = `left out in namespace ${namespace}`;
  return [problem({ variable: place, wanted, found, hint: HINT })];
}
