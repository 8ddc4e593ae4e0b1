import type { DeliveryMethod } from "@svc/settings";
import { showsValues } from "../program/delivery-traits.ts";

// The messages of formats/proto/svc/agent/v1/agent.proto, as the wrapper thinks of them.

/** A message of the wrapper. */
export type AgentRequest = Hello | Register | Versions;

/** The wrapper's identity, as far as it knows. The first message, and only that. */
export interface Hello {
  readonly kind: "hello";
  readonly wrapperVersion: string;
  /** Empty if it is not known, as the names below. */
  readonly podUid: string;
  readonly containerName: string;
  readonly podName: string;
  readonly podNamespace: string;
  /** The wrapper logs in with the token in this file. Empty if the wrapper uses no such file. */
  readonly tokenPath: string;
  /** Its file system as the kernel numbers it, and its inode; 0 if the file is not there. */
  readonly tokenDevice: number;
  readonly tokenInode: bigint;
}

/** Asks for a program to be protected, or tells more about one. */
export interface Register extends ProgramWords {
  readonly kind: "register";
  /** The answer repeats it. */
  readonly request: bigint;
  readonly pid: number;
}

/** A program, as far as it is known. No key's name, and no value. */
export interface ProgramWords {
  readonly keyCount: number;
  /** Undefined while the courier has not chosen. */
  readonly delivery: DeliveryMethod | undefined;
  readonly memfdSecret: boolean;
  readonly memoryLocked: boolean;
  /**
   * The address of the program's environment: env_start of proc_pid_stat(5). It holds no value,
   * but by `env`. 0n if it is not known.
   */
  readonly bareEnvironment: bigint;
}

/** A program of which nothing is known yet. */
export const nothingKnown: ProgramWords = {
  keyCount: 0,
  delivery: undefined,
  memfdSecret: false,
  memoryLocked: false,
  bareEnvironment: 0n,
};

/** The versions that the program has. It replaces the message before. */
export interface Versions {
  readonly kind: "versions";
  readonly secrets: readonly {
    readonly path: string;
    readonly version: bigint;
    /** Milliseconds since the epoch. */
    readonly sinceMs: bigint;
  }[];
}

/** The agent's reaction to an attempt; `unknown` is of a later release. */
export type EnforcementTier = "none" | "tracing" | "detect" | "kill" | "enforce" | "unknown";

/** A message of the agent. */
export type AgentAnswer =
  | Welcome
  | { readonly kind: "registered"; readonly request: bigint; readonly registration: bigint }
  | ({ readonly kind: "refused"; readonly request: bigint } & Refusal)
  | { readonly kind: "tier"; readonly tier: EnforcementTier }
  /** A message of a later release. */
  | { readonly kind: "other" };

/** The answer to Hello. */
export interface Welcome {
  readonly kind: "welcome";
  readonly version: string;
  readonly tier: EnforcementTier;
  /** Why the agent does not report openings of tokenPath; empty if it does, or has no path. */
  readonly tokenUnwatched: string;
}

/** Why it does not. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** A Register of these words. Under `env` the environment holds values: it is not bare. */
export function registerMessage(request: bigint, pid: number, words: ProgramWords): Register {
  const { delivery } = words;
  const isBare = delivery === undefined || !showsValues(delivery);
  const bareEnvironment = isBare ? words.bareEnvironment : 0n;
  return { kind: "register", request, pid, ...words, bareEnvironment };
}
