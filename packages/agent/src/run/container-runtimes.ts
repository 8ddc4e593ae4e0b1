import type { Log } from "@svc/logging";
import type { Monitor } from "../monitor/load-monitor.ts";
import type { Surroundings } from "../monitor/surroundings.ts";
import {
  type ContainerRuntimes,
  findRuntimes,
  type Machine,
  machineOf,
  noRuntimes,
} from "../runtimes/find-runtimes.ts";
import { followRuntimes } from "../runtimes/follow-runtimes.ts";
import { wellKnownRuntimes } from "../runtimes/runtime-paths.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";

type RuntimeSettings = Pick<AgentSettings, "containerRuntimes">;

/** Those that are there now; none where the machine cannot be looked at, which is said when they are followed. */
export function findRuntimesIfPossible(
  settings: RuntimeSettings,
  surroundings: Pick<Surroundings, "machinePids">,
): ContainerRuntimes {
  try {
    return findRuntimes(pathsOf(settings), machineOf(surroundings));
  } catch {
    return { ...noRuntimes, mountNamespace: ownMountNamespace() };
  }
}

/** Policies hold there, where the machine's own cannot be seen: no process of a container is in it but the agent. */
function ownMountNamespace(): number {
  try {
    return findRuntimes([], machineOf({ machinePids: false })).mountNamespace;
  } catch {
    return noRuntimes.mountNamespace;
  }
}

/** The machine, or this process's own part of it where the rest cannot be seen. */
export function visibleMachine(surroundings: Pick<Surroundings, "machinePids">): Machine {
  const machine = machineOf(surroundings);
  try {
    findRuntimes([], machine);
    return machine;
  } catch {
    return machineOf({ machinePids: false });
  }
}

/** The inputs of keepRuntimes. */
export interface RuntimesParts {
  readonly settings: RuntimeSettings;
  readonly surroundings: Pick<Surroundings, "machinePids">;
  readonly monitor: Pick<Monitor, "allowRuntimes">;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Keeps the kernel side's knowledge of them up to date. */
export function keepRuntimes(parts: RuntimesParts): void {
  const { settings, surroundings, monitor, log, signal } = parts;
  followRuntimes({
    paths: pathsOf(settings),
    machine: machineOf(surroundings),
    onChange: monitor.allowRuntimes,
    ...{ log, signal },
  });
}

function pathsOf({ containerRuntimes = wellKnownRuntimes }: RuntimeSettings): readonly string[] {
  return containerRuntimes;
}
