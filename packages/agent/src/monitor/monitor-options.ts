import type { ContainerRuntimes } from "../runtimes/find-runtimes.ts";
import type { KernelPins } from "./kernel-pins.ts";
import type { StopPolicy } from "./stop-policy.ts";

/** What the kernel side shall do. */
export interface MonitorOptions {
  /** The object file. */
  readonly object: Uint8Array;
  readonly watchNode: boolean;
  readonly logAll: boolean;
  /** Has the kernel measure how long programs run. */
  readonly measure: boolean;
  /** The kernel is locked down for confidentiality. */
  readonly confidential: boolean;
  /** As `uname -r`. */
  readonly kernel: string;
  /** What is stopped. */
  readonly policy: StopPolicy;
  /** Attempts go through, and events name the decision that enforcement would have taken. */
  readonly dryRun: boolean;
  /** Where what stops attempts outlives the agent; it does not where there is no such place. */
  readonly pins?: KernelPins;
  /** How long the guards hold without an agent. */
  readonly guardDeadlineMs: number;
  /** Who may enter the namespaces of programs, from the first moment on. */
  readonly runtimes: ContainerRuntimes;
}
