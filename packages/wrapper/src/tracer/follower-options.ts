import type { TraceeStop } from "@svc/kernel";
import type { InheritedRegion } from "../delivery-plan.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import type { PlacedGeneration } from "./placement.ts";
import type { Placements } from "./placements.ts";

/** The listener of a filter, and the parts for its answers. */
export interface Listening {
  readonly fd: number;
  /** The region's descriptor here. */
  readonly regionFd: number;
  readonly watchReadable: Runtime["watchReadable"];
}

export interface FollowerOptions {
  /** The program's main process. */
  readonly pid: number;
  readonly region: InheritedRegion;
  readonly first: PlacedGeneration;
  /** Undefined if everything is traced instead. */
  readonly listening: Listening | undefined;
  /** True if the kernel grants a traced program nothing that its file would. */
  readonly withholdsPrivileges: boolean;
  /** Takes a stop, as if the event loop had reported it. */
  readonly onStop: (stop: TraceeStop) => void;
  /** Looks at all children. */
  readonly reap: () => void;
  readonly traced: Set<number>;
  readonly placements: Placements;
  readonly log: Logger;
  readonly onProgram: (pid: number, isPrepared: boolean) => void;
  /** Called for each program that has plain values. */
  readonly onUnprotected: () => void;
  /** Called once no process is left that the listener could hear of. */
  readonly onClosed: () => void;
}
