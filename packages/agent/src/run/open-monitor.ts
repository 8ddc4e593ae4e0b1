import { SyscallError } from "@svc/kernel";
import type { Log } from "@svc/logging";
import { AgentError } from "../agent-error.ts";
import { explained } from "../monitor/blindness.ts";
import type { DropCounts } from "../monitor/drop-counters.ts";
import { type KernelPins, openPins, PIN_FOLDER, removePins } from "../monitor/kernel-pins.ts";
import { type Blindness, isBlind, loadMonitor, type Monitor } from "../monitor/load-monitor.ts";
import { stopPolicy } from "../monitor/stop-policy.ts";
import type { Surroundings } from "../monitor/surroundings.ts";
import type { Machine } from "../runtimes/find-runtimes.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { findRuntimesIfPossible } from "./container-runtimes.ts";
import { readObject } from "./read-object.ts";

type MonitorSettings = Pick<
  AgentSettings,
  | "objectPath"
  | "watchNode"
  | "logAll"
  | "programStats"
  | "enforce"
  | "enforceNode"
  | "dryRun"
  | "reactiveKill"
  | "guardDeadline"
  | "containerRuntimes"
>;

/** The machine around the kernel side. */
export interface Around {
  readonly surroundings: Surroundings;
  readonly machine: Machine;
  readonly log: Log;
}

/**
 * Loads the kernel side, and takes over from an earlier agent: its programs stay until this one's
 * enforce the same.
 *
 * @throws AgentError `ARCHITECTURE_UNSUPPORTED`, `OBJECT_UNUSABLE`, `AGENT_RUNNING`,
 * `PINS_UNUSABLE`
 */
export function openMonitor(
  settings: MonitorSettings,
  { surroundings, machine, log }: Around,
): Monitor | Blindness {
  const { objectPath, watchNode, logAll, programStats, guardDeadline } = settings;
  const object = readObject(objectPath);
  const pins = placeOfPins(settings, log);
  const runtimes = findRuntimesIfPossible(settings, machine);
  try {
    return loadMonitor({
      ...{ object, watchNode, logAll, measure: programStats },
      surroundings,
      policy: stopPolicy(settings),
      dryRun: settings.dryRun,
      ...(pins && { pins }),
      guardDeadlineMs: guardDeadline,
      runtimes,
    });
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const text = `load EBPF_OBJECT_PATH (${objectPath}): ${error.message}${explained(error.code)}`;
    throw new AgentError("OBJECT_UNUSABLE", text, error);
  }
}

/** Loads the kernel side, as `openMonitor` does. */
export type OpenMonitor = typeof openMonitor;

/** The kernel side's lost events; zero without a kernel side. */
export function dropsOf(monitor: Monitor | Blindness): DropCounts {
  return isBlind(monitor) ? noDrops : monitor.drops();
}

const noDrops: DropCounts = { violations: 0n, everything: 0n, inheritances: 0n };

/**
 * A detecting agent ends the enforcement of an earlier one. It needs no pins: other things in their
 * place do not keep it from its work.
 */
function placeOfPins({ enforce, dryRun }: MonitorSettings, log: Log): KernelPins | undefined {
  try {
    if (enforce && !dryRun) return openPins(PIN_FOLDER);
    for (const found of removePins(PIN_FOLDER).left) {
      log("warn", `in the place of the agent's pins is something else: ${found}`, {
        hint: "it does not matter while the agent only reports. Remove it before you set ENFORCE_MODE",
      });
    }
    return undefined;
  } catch (error) {
    if (error instanceof AgentError) throw error;
    const found = error instanceof Error ? error.message : String(error);
    throw new AgentError("PINS_UNUSABLE", `use ${PIN_FOLDER}: ${found}`, error);
  }
}
