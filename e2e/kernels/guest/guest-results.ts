import type { CampaignResult } from "@svc/testing";
import type { Encounter, RecordProcesses } from "../../harness/agent/is-about.ts";
import type { PrintedRecord } from "../../harness/agent/running-agent.ts";
import type { TokenStory } from "../../harness/agent/token-story.ts";
import type { ContainerStory } from "./run-containers.ts";
import type { SurvivalStory } from "./run-survival.ts";

/** The results of a guest, and the output of its agent. The tests outside judge them. */
export interface GuestResults {
  /** As uname(1) says it. */
  readonly release: string;
  /** Programs of the tier `tracing` that the kernel does not take, and why. */
  readonly refusedOnTracing: readonly string[];
  readonly readiness: { readonly status: number; readonly body: string };
  /** GET /status, when the agent had just started. */
  readonly status: AgentStatus;
  /** Exit codes of a busy system. */
  readonly neighbours: Readonly<Record<string, number>>;
  /** Records of a busy system beside a process whose environment is bare. */
  readonly noise: readonly PrintedRecord[];
  readonly wrapped: WrappedStory;
  readonly attacks: Readonly<Record<string, AttackedVictim>>;
  /** Records while attacks were run. */
  readonly seen: readonly PrintedRecord[];
  /** GET /status, at the end. */
  readonly statusAfter: AgentStatus;
  /** The log of the agent. */
  readonly log: string;
  readonly tokens: TokenStory;
  readonly enforced: EnforcedStory;
  /** The story in which agents come and go. */
  readonly survival?: SurvivalStory;
  /** By part. */
  readonly seconds: Readonly<Record<string, number>>;
}

/** The parts of GET /status that the tests read. */
export interface AgentStatus {
  readonly tier: string;
  readonly mechanisms: Readonly<
    Record<string, { readonly state: string; readonly reason?: string }>
  >;
  readonly kinds: Readonly<Record<string, string>>;
  readonly unseen: readonly string[];
  readonly refused: readonly { readonly program: string; readonly reason: string }[];
  readonly leakWindows: Readonly<Record<string, { readonly hadIt: number }>>;
  readonly rings: { readonly lost: { readonly violations: number }; readonly unreadable: number };
}

/** How an attack went. */
export interface AttackedVictim extends Encounter {
  readonly answer: string;
}

/** Everything again, by an agent with ENFORCE_MODE=true. */
export interface EnforcedStory {
  readonly status: AgentStatus;
  /** Exit codes of a busy system. */
  readonly neighbours: Readonly<Record<string, number>>;
  /** By container runtime. */
  readonly containers: Readonly<Record<string, ContainerStory>>;
  readonly attacks: Readonly<Record<string, EnforcedAttack>>;
  /** While attacks were run. */
  readonly records: readonly ShortRecord[];
  /** By the way of tampering. */
  readonly tampers: Readonly<Record<string, TamperedAgent>>;
  /** The log of the agent. */
  readonly log: string;
}

/** How often an attack ended how. */
export interface EnforcedAttack extends Encounter, Omit<CampaignResult, "pid"> {
  readonly victimLives: boolean;
}

/** The parts of a record about an attempt under enforcement that the tests read. */
export interface ShortRecord extends RecordProcesses {
  readonly kind: string;
  readonly decision: string;
  readonly mechanism: string;
  /** How many attempts it stands for. */
  readonly count: number;
}

/** The state of an agent after an attempt to end it. */
export interface TamperedAgent extends Pick<CampaignResult, "ok" | "killed" | "refused"> {
  readonly agent: "alive" | "stopped" | "ended";
  /** How many of 5 that read a protected process's memory then had the secret. */
  readonly leaked: number;
}

/** A program that a wrapper has started, and one attacker. */
export interface WrappedStory {
  readonly program: number;
  readonly attackers: readonly number[];
  readonly records: readonly PrintedRecord[];
  /** The log of the wrapper. */
  readonly log: string;
}
