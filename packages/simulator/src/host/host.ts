import type { Machine } from "../machine/machine.ts";
import type { AgentService } from "./agent-stream.ts";
import type { Listener, Network } from "./network.ts";
import type { ScriptState } from "./script-state.ts";

/** The place of the wrapper's executable. */
export const WRAPPER_PATH = "/usr/bin/svc-wrapper";

/** The parts of a machine's host that its processes share. */
export interface Host {
  readonly machine: Machine;
  readonly network: Network;
  readonly agent: AgentService;
  readonly listeners: Map<number, Listener>;
  readonly states: Map<number, ScriptState>;
  /** Makes the state of a process that runs the wrapper's code. */
  begin(process: ScriptState["process"], blockedAtStart: readonly number[]): ScriptState;
}
