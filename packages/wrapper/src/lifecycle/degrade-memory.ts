import type { Failure } from "../errors.ts";
import type { World } from "./world.ts";

/**
 * Answers a courier that was not allowed to lock enough memory: regions are ordinary memory from now
 * on, where the settings allow that, and the log says which limit was too small.
 *
 * @returns true where it is worth trying again.
 */
export function degradeMemory({ couriers, log }: World, failures: readonly Failure[]): boolean {
  const found = failures.find(({ code }) => code === "MEMORY_LOCK_LIMIT");
  if (found === undefined || !couriers.degradeMemory(found.message)) return false;
  log.warn(`degraded: secrets are in ordinary memory: ${found.message}`, { hint: found.hint });
  return true;
}
