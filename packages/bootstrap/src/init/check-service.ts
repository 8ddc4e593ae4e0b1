import { type VaultAdministration, VaultError } from "@svc/vault";
import type { Progress } from "../progress.ts";
import type { Patience } from "../store/ask-until.ts";

const PATIENCE: Patience = { deadlineMs: 15_000, intervalMs: 500 };

/**
 * Warns if the store does not answer at its service's address. Every step went to the pods, so a
 * wrong address would show in the first application only. A service takes some seconds to send to
 * pods that were unsealed just now.
 */
export async function checkService(
  service: VaultAdministration,
  progress: Progress,
  { deadlineMs, intervalMs }: Patience = PATIENCE,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const found = await faultOf(service);
    if (found === undefined) return;
    if (performance.now() >= end) {
      progress.warn(`STORE_ADDR: the store does not serve there: ${found}`);
      return;
    }
    progress.waiting(`the service at ${service.address}: ${found}`);
    await Bun.sleep(intervalMs);
  }
}

async function faultOf(service: VaultAdministration): Promise<string | undefined> {
  try {
    const state = await service.health();
    return state === "sealed" || state === "not-initialized" ? `it is ${state}` : undefined;
  } catch (error) {
    if (error instanceof VaultError) return error.message;
    throw error;
  }
}
