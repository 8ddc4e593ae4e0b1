import type { Log } from "@svc/logging";
import type { Monitor } from "../monitor/load-monitor.ts";
import {
  type ContainerRuntimes,
  findRuntimes,
  type Machine,
  noRuntimes,
} from "../runtimes/find-runtimes.ts";
import { followRuntimes } from "../runtimes/follow-runtimes.ts";
import { wellKnownRuntimes } from "../runtimes/runtime-paths.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";

type RuntimeSettings = Pick<AgentSettings, "containerRuntimes">;

/**
 * The runtimes that run now; empty if the agent cannot read /proc, which it logs later.
 */
export function findRuntimesIfPossible(
  settings: RuntimeSettings,
  machine: Machine,
): ContainerRuntimes {
  try {
    return findRuntimes(pathsOf(settings), machine);
  } catch {
    return noRuntimes;
  }
}

/** The inputs of keepRuntimes. */
export interface RuntimesParts {
  readonly settings: RuntimeSettings;
  readonly machine: Machine;
  readonly monitor: Pick<Monitor, "allowRuntimes">;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Keeps the kernel side's knowledge of them up to date. */
export function keepRuntimes(parts: RuntimesParts): void {
  const { settings, machine, monitor, log, signal } = parts;
  followRuntimes({
    paths: pathsOf(settings),
    onChange: monitor.allowRuntimes,
    ...{ machine, log, signal },
  });
}

function pathsOf({ containerRuntimes = wellKnownRuntimes }: RuntimeSettings): readonly string[] {
  return containerRuntimes;
}
