import type {
  AgentAnswer,
  AgentRequest,
  EnforcementTier,
  Hello,
  Register,
} from "../agent-messages.ts";
import { decodeFields, encodeFields, type Field } from "./protobuf.ts";

// proto/svc/agent/v1/agent.proto has the numbers of all fields.

/** A SessionRequest. */
export function encodeRequest(message: AgentRequest): Uint8Array {
  switch (message.kind) {
    case "hello":
      return encodeFields({ 1: encodeHello(message) });
    case "register":
      return encodeFields({ 2: encodeRegister(message) });
  }
}

function encodeHello(message: Hello): Uint8Array {
  const { wrapperVersion, podUid, containerName, podName, podNamespace } = message;
  const names = { 3: containerName, 4: podName, 5: podNamespace };
  return encodeFields({ 1: wrapperVersion, 2: podUid, ...names });
}

function encodeRegister(message: Register): Uint8Array {
  const { request, pid, keyCount, rung, memfdSecret, memoryLocked, bareEnvironment } = message;
  const protections = [...(memfdSecret ? [1] : []), ...(memoryLocked ? [2] : [])];
  const rungNumber = rung === undefined ? 0 : rungNumbers[rung];
  const program = { 3: keyCount, 4: rungNumber, 5: protections, 6: bareEnvironment };
  return encodeFields({ 1: request, 2: pid, ...program });
}

const LAST_CASE = 4;
const rungNumbers = { library: 1, inject: 2, preload: 3, env: 4 } as const;
const tiers = ["unknown", "none", "tracing", "detect", "kill", "enforce"] as const;

/** Reads a SessionResponse. @throws RangeError where it is none */
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
