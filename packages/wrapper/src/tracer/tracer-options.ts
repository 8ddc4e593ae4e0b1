import type { DeliveryPlan } from "../delivery-plan.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime.ts";

export interface TracerOptions {
  /** The courier. */
  readonly pid: number;
  /** True if it is traced. */
  readonly tracing: boolean;
  /** The supervisor's descriptor of the region; open until the tracer is closed. */
  readonly regionFd: number;
  readonly watchReadable: Runtime["watchReadable"];
  /** Takes the listener that the courier has sent; undefined if it has sent none. */
  readonly takeListener: () => number | undefined;
  /** The courier's plan; undefined before its message. */
  readonly readPlan: () => DeliveryPlan | undefined;
  /** Called for each program that was started and has plain values. */
  readonly onUnprotected?: () => void;
  /** Looks at all children of this process, as on SIGCHLD. */
  readonly reap: () => void;
  readonly log: Logger;
  /**
   * Told the address of the environment of the courier's process when it stands before a program's
   * first instruction: without values, but by the delivery `env`. 0n if it could not be prepared.
   */
  readonly onProgram?: (environmentStart: bigint) => void;
}
