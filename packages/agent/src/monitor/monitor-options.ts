import type { ContainerRuntimes } from "../runtimes/find-runtimes.ts";
import type { LoadSurroundings } from "./blindness.ts";
import type { KernelPins } from "./kernel-pins.ts";
import type { StopPolicy } from "./stop-policy.ts";

/** The tasks of the kernel side. */
export interface MonitorOptions {
  /** The object file. */
  readonly object: Uint8Array;
  readonly watchNode: boolean;
  readonly logAll: boolean;
  /** Has the kernel measure how long programs run. */
  readonly measure: boolean;
  readonly surroundings: LoadSurroundings;
  /** The kinds of attempts that are stopped. */
  readonly policy: StopPolicy;
  /** Attempts go through, and events name the decision that enforcement would have taken. */
  readonly dryRun: boolean;
  /** The pins by which programs outlive the agent. Undefined if there is no place for them. */
  readonly pins?: KernelPins;
  /** How long the guards hold without an agent. */
  readonly guardDeadlineMs: number;
  /** The runtimes that may enter the namespaces of programs, from the first moment on. */
  readonly runtimes: ContainerRuntimes;
}
