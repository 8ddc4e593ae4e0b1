import type { TraceeStop } from "@svc/kernel";
import type { InheritedRegion } from "../delivery-plan.ts";
import type { Logger } from "../log.ts";
import type { PlacedGeneration } from "./placement.ts";
import type { Placements } from "./placements.ts";

export interface FollowerOptions {
  /** The program's main process. */
  readonly pid: number;
  readonly region: InheritedRegion;
  readonly first: PlacedGeneration;
  /** Where every execve is announced: the listener, and the region's descriptor here. */
  readonly listening: { readonly fd: number; readonly regionFd: number } | undefined;
  /** True where the kernel grants a traced program nothing that its file would. */
  readonly withholdsPrivileges: boolean;
  /** Takes a stop, as if the event loop had told of it. */
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
