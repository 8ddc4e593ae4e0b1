import type { WebhookTrust } from "./next-step.ts";
import type { Slot } from "./stored-certificates.ts";

/**
 * Measures for how long every webhook has had the next generation's authority: from the first look
 * at which all of them had it. It is not written down: a replica that begins to look waits for the
 * whole time again, and no clock that jumps shortens it.
 */
export function trustClock(
  steadyMs: () => number,
): (next: Slot, trusts: readonly WebhookTrust[]) => number {
  let since: { readonly id: string; readonly atMs: number } | undefined;
  return (next, trusts) => {
    const id = next.kind === "usable" ? next.generation.authority.id : undefined;
    const isTrusted = trusts.every(({ authorities }) => authorities.some((one) => one.id === id));
    if (id === undefined || !isTrusted) {
      since = undefined;
      return 0;
    }
    if (since?.id !== id) since = { id, atMs: steadyMs() };
    return steadyMs() - since.atMs;
  };
}
