import type { DeliveryRung } from "../program/choose-delivery.ts";
import { decodeFields, encodeFields, type Field } from "./protobuf.ts";

/** Who this wrapper is, as far as it knows; proto/svc/agent/v1/agent.proto has the numbers of all fields. */
export interface HelloWords {
  readonly wrapperVersion: string;
  readonly podUid: string;
  readonly containerName: string;
  readonly podName: string;
  readonly podNamespace: string;
}

/** A program, as far as it is known. No key's name, and no value. */
export interface ProgramWords {
  readonly keyCount: number;
  /** Undefined while the courier has not chosen. */
  readonly rung: DeliveryRung | undefined;
  readonly memfdSecret: boolean;
  readonly memoryLocked: boolean;
  /** Where the environment of the program begins (env_start of proc_pid_stat(5)), of any rung but `env` a bare one; 0n where that is not known. */
  readonly bareEnvironment: bigint;
}

/** What the agent does about an attempt; `unknown` is of a later release. */
export type EnforcementTier = "none" | "tracing" | "detect" | "kill" | "enforce" | "unknown";

/** What the agent says. */
export type AgentAnswer =
  | { readonly kind: "welcome"; readonly version: string; readonly tier: EnforcementTier }
  | { readonly kind: "registered"; readonly request: bigint; readonly registration: bigint }
  | ({ readonly kind: "refused"; readonly request: bigint } & Refusal)
  | { readonly kind: "tier"; readonly tier: EnforcementTier }
  /** Of a later release. */
  | { readonly kind: "other" };

/** Why it does not. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export function encodeHello(words: HelloWords): Uint8Array {
  const { wrapperVersion, podUid, containerName, podName, podNamespace } = words;
  const fields = { 1: wrapperVersion, 2: podUid, 3: containerName, 4: podName, 5: podNamespace };
  return encodeFields({ 1: encodeFields(fields) });
}

export function encodeRegister(request: bigint, pid: number, words: ProgramWords): Uint8Array {
  const { keyCount, rung, memfdSecret, memoryLocked, bareEnvironment } = words;
  const protections = [...(memfdSecret ? [1] : []), ...(memoryLocked ? [2] : [])];
  const rungNumber = rung === undefined ? 0 : rungNumbers[rung];
  return encodeFields({
    2: encodeFields({
      ...{ 1: request, 2: pid, 3: keyCount, 4: rungNumber, 5: protections },
      6: rung === "env" ? 0n : bareEnvironment,
    }),
  });
}

const LAST_CASE = 4;
const rungNumbers = { library: 1, inject: 2, preload: 3, env: 4 } as const;
const tiers = ["unknown", "none", "tracing", "detect", "kill", "enforce"] as const;

/** @throws RangeError where it is no message */
export function decodeAnswer(bytes: Uint8Array): AgentAnswer {
  const [message] = decodeFields(bytes);
  if (message === undefined || !(message.value instanceof Uint8Array)) return { kind: "other" };
  if (message.number > LAST_CASE) return { kind: "other" };
  const fields = decodeFields(message.value);
  switch (message.number) {
    case 1:
      return { kind: "welcome", version: text(fields, 1), tier: tierOf(nested(fields, 3)) };
    case 2:
      return { kind: "registered", request: count(fields, 1), registration: count(fields, 2) };
    case 3: {
      const refusal = { code: text(fields, 2), message: text(fields, 3), hint: text(fields, 4) };
      return { kind: "refused", request: count(fields, 1), ...refusal };
    }
    case 4:
      return { kind: "tier", tier: tierOf(fields) };
    default:
      return { kind: "other" };
  }
}

function tierOf(fields: readonly Field[]): EnforcementTier {
  return tiers[Number(count(fields, 1))] ?? "unknown";
}

function nested(fields: readonly Field[], number: number): readonly Field[] {
  const value = last(fields, number);
  return value instanceof Uint8Array ? decodeFields(value) : [];
}

function text(fields: readonly Field[], number: number): string {
  const value = last(fields, number);
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : "";
}

function count(fields: readonly Field[], number: number): bigint {
  const value = last(fields, number);
  return typeof value === "bigint" ? value : 0n;
}

function last(fields: readonly Field[], number: number): Field["value"] | undefined {
  return fields.findLast((field) => field.number === number)?.value;
}
