import { type Log, pause } from "@svc/logging";
import { unrepeatedLog } from "../unrepeated-log.ts";
import { isSettled } from "./holders.ts";
import type { ListedPermits, PermitStore } from "./permit-store.ts";
import type { WorkloadReader } from "./read-workload.ts";

/** The tools of a sweep. */
export interface SweepParts {
  readonly store: Pick<PermitStore, "list" | "remove">;
  readonly reader: Pick<WorkloadReader, "pod">;
  readonly log: Log;
  /** How often it sweeps, in milliseconds; by default five minutes. */
  readonly everyMs?: number;
}

const EVERY_MS = 300_000;

/**
 * Removes the permits whose pods are all ready again, or gone: nothing asks after the last pod of a
 * workload. For the leader only. Never rejects.
 */
export async function sweepPermits(parts: SweepParts, signal: AbortSignal): Promise<void> {
  const { store, log, everyMs = EVERY_MS } = parts;
  const trouble = unrepeatedLog(log);
  while (!signal.aborted) {
    try {
      for (const permits of await store.list()) {
        if (await areOver(parts, permits)) await store.remove(permits);
      }
      trouble.over();
    } catch (error) {
      trouble.say("warn", error instanceof Error ? error.message : "sweep permits: it failed");
    }
    await pause(everyMs, signal);
  }
}

async function areOver(
  { reader }: Pick<SweepParts, "reader">,
  { holders, namespace }: ListedPermits,
): Promise<boolean> {
  for (const holder of holders) {
    const pod = await reader.pod(namespace, holder.pod);
    if (!isSettled({ holder, pod }, Date.now())) return false;
  }
  return true;
}
