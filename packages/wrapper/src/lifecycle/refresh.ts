import { SIGHUP } from "@svc/kernel";
import { sleep } from "@svc/vault";
import { type Failure, failuresOf } from "../errors.ts";
import type { ValuesToRefuse } from "../life/life.ts";
import { longestErrandMs } from "../life/longest-stage.ts";
import type { Logger } from "../log.ts";
import type { SecretsState } from "../messages/courier-message.ts";
import { deliveryTraits, showsValues } from "../program/delivery-traits.ts";
import { endsBySignal } from "../program/ends-by-signal.ts";
import type { WrapperSettings } from "../settings.ts";
import type { PlacedGeneration } from "../tracer/placement.ts";
import type { RepointedProcess } from "../tracer/placements.ts";
import type { Program } from "./delivery.ts";
import { type ErrandPorts, runErrand } from "./errand.ts";

const BUSY_PAUSE_MS = 100;
const BUSY_TRIES = 20;

/** How a refresh came out. */
export type RefreshOutcome =
  | { readonly kind: "refreshed"; readonly state: SecretsState }
  | { readonly kind: "unchanged"; readonly state: SecretsState }
  | { readonly kind: "failed"; readonly failures: readonly Failure[] };

export interface RefreshPorts extends ErrandPorts {
  readonly settings: Pick<WrapperSettings, "vault" | "onlyFiles">;
  readonly log: Logger;
}

export interface WantedRefresh {
  readonly program: Program;
  /** With these values again nothing happens, and with older ones neither. */
  readonly refuse: ValuesToRefuse;
  readonly signal: AbortSignal;
}

/**
 * Gives the running program new values, and then SIGHUP: when that arrives, they can be read. If
 * the program cannot receive a value, it may still fetch it by itself. So it gets the signal in
 * any case.
 *
 */
export async function refresh(ports: RefreshPorts, wanted: WantedRefresh): Promise<RefreshOutcome> {
  try {
    return await giveValues(ports, wanted);
  } catch (error) {
    // The program keeps its values.
    return { kind: "failed", failures: failuresOf(error) };
  }
}

async function giveValues(
  ports: RefreshPorts,
  { program, refuse, signal }: WantedRefresh,
): Promise<RefreshOutcome> {
  const { log, settings } = ports;
  const { region, secrets } = program;
  const { lengthBytes, variables } = secrets;
  const pointedAt = program.child.tracer.catchUp();
  const job = { kind: "refresh", lengthBytes, variables, pointedAt } as const;
  const outcome = await runErrand(ports, { ...refuse, ...job }, ["refreshed", "unchanged"], {
    region,
    timeoutMs: longestErrandMs(settings),
    signal,
  });
  if (outcome.kind === "failed") return outcome;
  const { message } = outcome;
  if (message.kind === "unchanged") return { kind: "unchanged", state: message };
  if (deliveryTraits[program.delivery].isTraced) await point(log, program, message.placed, signal);
  if (signal.aborted) return { kind: "refreshed", state: message };
  const endsIt = endsBySignal(program.child.pid, SIGHUP);
  if (endsIt && settings.onlyFiles) {
    log.warn("the new files are there; the program has no handler for SIGHUP, and is not told");
    return { kind: "refreshed", state: message };
  }
  if (endsIt) {
    log.warn("the program has no handler for SIGHUP: the signal ends it");
  }
  program.child.forward(SIGHUP);
  if (showsValues(program.delivery)) {
    log.warn("the program got SIGHUP and keeps the values of its start: env gives no new ones");
  } else log.info("the program has its new values, and SIGHUP");
  return { kind: "refreshed", state: message };
}

/**
 * Points the variables of the program at the new values; a process that is busy for too long keeps
 * its own.
 */
async function point(
  log: Logger,
  { child }: Program,
  placed: PlacedGeneration,
  signal: AbortSignal,
): Promise<void> {
  let processes = child.tracer.repoint(placed);
  for (let tries = 1; tries < BUSY_TRIES && processes.some(isBusy); tries += 1) {
    await sleep(BUSY_PAUSE_MS, signal);
    if (signal.aborted) return;
    processes = child.tracer.repoint(placed);
  }
  for (const { pid, outcome } of processes) {
    if (outcome.kind === "repointed") {
      log.debug("the variables lead to the new values", {
        pid,
        count: outcome.count,
        of: outcome.of,
      });
    } else if (outcome.kind !== "gone") {
      const reason = outcome.kind === "not permitted" ? `: ${outcome.reason}` : "";
      log.warn(`the variables of a process keep their values: ${outcome.kind}${reason}`, { pid });
    }
  }
}

function isBusy({ outcome }: RepointedProcess): boolean {
  return outcome.kind === "busy";
}
