import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { readSurroundings, type Surroundings } from "../monitor/surroundings.ts";
import { type Machine, machineOf } from "../runtimes/find-runtimes.ts";
import { visibleMachine } from "../runtimes/visible-machine.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";

/** The node that the agent watches. */
export interface WatchedNode {
  readonly name: string;
  /** /proc/sys/kernel/random/boot_id */
  readonly bootId: string;
  readonly surroundings: Surroundings;
  /** Undefined if this process cannot see the machine's files. */
  readonly visible: Machine | undefined;
  /** The machine, or as much of it as this process sees. */
  readonly machine: Machine;
}

/** Looks at the node. */
export function watchedNode({ nodeName }: Pick<AgentSettings, "nodeName">): WatchedNode {
  const surroundings = readSurroundings();
  const visible = visibleMachine(surroundings);
  return {
    name: nodeName ?? hostname(),
    bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    ...{ surroundings, visible },
    machine: visible ?? machineOf(surroundings),
  };
}
