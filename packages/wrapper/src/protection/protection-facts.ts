import type { SecretMemoryKind } from "@svc/kernel";
import type { DeliveryMethod } from "@svc/settings";
import type { EnforcementTier } from "../agent/agent-messages.ts";

/** The measured facts about one program and its surroundings. It holds no value and no token. */
export interface ProtectionFacts {
  readonly delivery: DeliveryMethod;
  readonly values: ValuesFinding;
  /** Whether the courier, whose heap had the values before the program, could lock its memory. */
  readonly courierLocked: boolean;
  readonly environ: EnvironFinding;
  readonly dumpable: DumpableFinding;
  readonly token: TokenFinding;
  readonly agent: AgentFinding;
  readonly cpu: CpuFinding;
}

/** The facts that are measured once, after a program's start; the agent comes and goes. */
export type MeasuredFacts = Omit<ProtectionFacts, "agent">;

/** Unknown facts, with the reason: they count as missing. */
export interface Unmeasured {
  readonly kind: "unmeasured";
  readonly reason: string;
}

/** The pages that the program's values are in. */
export type ValuesFinding =
  /** A region that the program has mapped. */
  | {
      readonly kind: "region";
      readonly memory: SecretMemoryKind;
      readonly locked: boolean;
      readonly dumped: boolean;
    }
  /** A region that it has inherited and not mapped: its kind may lock it and keep it from dumps. */
  | { readonly kind: "descriptor"; readonly memory: SecretMemoryKind }
  /** The program's stack; `dumped`: a core dump of it would be written. */
  | { readonly kind: "stack"; readonly dumped: boolean }
  | Unmeasured;

/** What /proc/PID/environ holds of the values. */
export type EnvironFinding =
  | { readonly kind: "clean" }
  /** Variables of the delivery that are not placeholders there. */
  | { readonly kind: "values"; readonly variables: number }
  /** Programs that the program has started, and that have plain values. */
  | { readonly kind: "started programs"; readonly programs: number }
  | Unmeasured;

export type DumpableFinding = { readonly kind: "no" } | { readonly kind: "yes" } | Unmeasured;

/** Where the vault's token is. */
export type TokenFinding =
  | { readonly kind: "none" }
  | { readonly kind: "protected" }
  | { readonly kind: "exposed"; readonly where: string };

/** The kernel agent's protection of the program at this moment. */
export type AgentFinding =
  | { readonly kind: "not asked for" }
  | { readonly kind: "away" }
  | {
      readonly kind: "connected";
      readonly tier: EnforcementTier;
      readonly registered: boolean;
    };

/** The kernel's statements about attacks on the processor. */
export type CpuFinding =
  | { readonly kind: "mitigated" }
  | { readonly kind: "vulnerable"; readonly names: readonly string[] }
  | Unmeasured;
