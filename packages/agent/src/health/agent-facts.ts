import type { ProgramRuns } from "@svc/kernel";
import type { DeliveryCounts } from "../export/deliver-spool.ts";
import type { Capabilities } from "../monitor/capabilities.ts";
import type { DropCounts } from "../monitor/drop-counters.ts";
import type { Surroundings } from "../monitor/surroundings.ts";
import type { PumpCounts } from "../report/pump-counts.ts";
import type { SpoolCounts } from "../spool/spool-options.ts";
import type { SwapFacts } from "../swap/swap-keeper.ts";

/** What there is to say of the agent when it is asked. It holds no secret. */
export interface AgentFacts {
  readonly version: string;
  readonly node: string;
  readonly bootId: string;
  readonly capabilities: Capabilities;
  readonly surroundings: Surroundings;
  /** ENFORCE_MODE. */
  readonly enforcementWanted: boolean;
  /** How long the guards of the node and of the agent's own are still open, as somebody has broken the glass. */
  readonly guardsOpenMs: number;
  readonly drops: DropCounts;
  readonly pump: PumpCounts;
  /** Attempts by kind and decision, with a blank between them. */
  readonly events: ReadonlyMap<string, number>;
  readonly programs: ReadonlyMap<string, ProgramRuns>;
  /** Lines of standard output that nobody took in time. */
  readonly linesDropped: number;
  /** Where there is a platform. */
  readonly platform?: PlatformFacts;
  readonly registrations: RegistrationCounts;
  readonly swap: SwapFacts;
}

/** How events get to the platform. */
export interface PlatformFacts {
  readonly spool: SpoolCounts;
  readonly delivery: DeliveryCounts;
  /** Of the oldest event that the platform does not have yet. */
  readonly oldestWaitingSeconds: number;
}

/** What wrappers have registered. */
export interface RegistrationCounts {
  readonly registrations: number;
  /** Those whose wrapper is there. */
  readonly connected: number;
  /** Those that were registered; what they have started is not counted. */
  readonly processes: number;
  /** Connections for which there was no room. */
  readonly turnedAway: number;
}
