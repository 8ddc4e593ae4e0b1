import type { Process } from "../machine/process.ts";
import type { EventLoop } from "./event-loop.ts";

/** One process that runs the wrapper's code. */
export interface ScriptState {
  readonly process: Process;
  readonly loop: EventLoop;
  /** The signals that were blocked when it began. */
  readonly blockedAtStart: readonly number[];
  /** The exports of one of its own modules. */
  load(name: string): object;
}
