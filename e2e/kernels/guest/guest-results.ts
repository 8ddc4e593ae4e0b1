import type { PrintedRecord } from "../../agent/running-agent.ts";

/** What a guest has done and what its agent has printed: what to make of it is judged outside. */
export interface GuestResults {
  /** As uname(1) says it. */
  readonly release: string;
  readonly readiness: { readonly status: number; readonly body: string };
  /** GET /status, when the agent had just started. */
  readonly status: AgentStatus;
  /** Records of a busy system beside a process whose environment is bare. */
  readonly noise: readonly PrintedRecord[];
  readonly wrapped: WrappedStory;
  readonly attacks: Readonly<Record<string, AttackedVictim>>;
  /** Records while attacks were run. */
  readonly seen: readonly PrintedRecord[];
  /** GET /status, at the end. */
  readonly statusAfter: AgentStatus;
  /** Of the agent. */
  readonly log: string;
  /** By part. */
  readonly seconds: Readonly<Record<string, number>>;
}

/** What is read of GET /status. */
export interface AgentStatus {
  readonly tier: string;
  readonly mechanisms: Readonly<
    Record<string, { readonly state: string; readonly reason?: string }>
  >;
  readonly kinds: Readonly<Record<string, string>>;
  readonly unseen: readonly string[];
  readonly refused: readonly { readonly program: string; readonly reason: string }[];
  readonly rings: { readonly lost: { readonly violations: number }; readonly unreadable: number };
}

/** How an attack went. */
export interface AttackedVictim {
  readonly attacker: number;
  readonly answer: string;
}

/** A program that a wrapper has started, and one attacker. */
export interface WrappedStory {
  readonly program: number;
  readonly attackers: readonly number[];
  readonly records: readonly PrintedRecord[];
  /** Of the wrapper. */
  readonly log: string;
}
