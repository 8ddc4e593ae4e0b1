import type { ProgramRuns } from "@svc/kernel";
import type { DeliveryCounts } from "../export/deliver-spool.ts";
import type { Capabilities } from "../monitor/capabilities.ts";
import type { DropCounts } from "../monitor/drop-counters.ts";
import type { Surroundings } from "../monitor/surroundings.ts";
import type { ClusterReport } from "../policies/cluster-policies.ts";
import type { PolicyReport } from "../policies/follow-policies.ts";
import type { VersionsOfProgram } from "../registration/held-versions.ts";
import type { PumpCounts } from "../report/pump-counts.ts";
import type { SpoolCounts } from "../spool/spool-options.ts";
import type { SwapFacts } from "../swap/swap-keeper.ts";
import type { TokenFileCounts } from "../token-files/token-files.ts";

/** The agent's facts at the time of a request. It holds no secret. */
export interface AgentFacts {
  readonly version: string;
  readonly node: string;
  readonly bootId: string;
  readonly capabilities: Capabilities;
  readonly surroundings: Surroundings;
  /** ENFORCE_MODE. */
  readonly enforcementWanted: boolean;
  /** How long the guards of the node and of the agent stay open after a break-glass. */
  readonly guardsOpenMs: number;
  readonly drops: DropCounts;
  readonly pump: PumpCounts;
  /** Attempts by kind and decision, with a blank between them. */
  readonly events: ReadonlyMap<string, number>;
  readonly programs: ReadonlyMap<string, ProgramRuns>;
  /** Lines of standard output that no reader took in time. */
  readonly linesDropped: number;
  /** If there is a platform. */
  readonly platform?: PlatformFacts;
  readonly registrations: RegistrationCounts;
  /** The versions of secrets that programs have, as their wrappers say. */
  readonly versions: readonly VersionsOfProgram[];
  readonly swap: SwapFacts;
  readonly tokenFiles: TokenFileCounts;
  /** If the agent follows policies. */
  readonly policies?: PolicyFacts;
}

/** The policies that the agent follows, and its standing with the API server. */
export interface PolicyFacts extends PolicyReport {
  /** With POLICY_RESOURCES. */
  readonly resources?: ClusterReport;
}

/** How events get to the platform. */
export interface PlatformFacts {
  readonly spool: SpoolCounts;
  readonly delivery: DeliveryCounts;
  /** The age of the oldest event that the platform does not have yet. */
  readonly oldestWaitingSeconds: number;
}

/** The wrappers' registrations. */
export interface RegistrationCounts {
  readonly registrations: number;
  /** Registrations with a connected wrapper. */
  readonly connected: number;
  /** Registered programs; their children do not count. */
  readonly processes: number;
  /** Connections for which there was no room. */
  readonly turnedAway: number;
}
