import { type Problem, problem, quoted } from "@svc/settings";
import type { InjectionSettings } from "./injection-settings.ts";

/**
 * A problem if a vault's address is not on every list of allowed ones. To each address that a pod
 * names, the wrapper sends the token of the pod's service account.
 */
export function addressProblem(
  { allowedAddresses }: InjectionSettings,
  place: string,
  address: string,
): readonly Problem[] {
  const forbidding = allowedAddresses.find((list) => !list.includes(address));
  if (forbidding === undefined) return [];
  const wanted = `one of the allowed addresses, ${forbidding.join(", ") || "of which there are none"}`;
  return [problem({ variable: place, wanted, found: `got ${quoted(address)}` })];
}
