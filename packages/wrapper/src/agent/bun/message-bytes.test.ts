import { describe, expect, test } from "bun:test";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type EnforcementTier,
  SessionRequestSchema,
  SessionResponseSchema,
} from "@svc/agent-protocol";
import type { AgentAnswer } from "../agent-messages.ts";
import { decodeAnswer, encodeRequest } from "./message-bytes.ts";
import { decodeFields, encodeFields } from "./protobuf.ts";

/** What the wrapper writes and reads is what the generated code reads and writes. */
describe("messages to the agent", () => {
  test("a Hello", () => {
    const words = {
      wrapperVersion: "1.2.3",
      podUid: "0f3b",
      containerName: "päy",
      podName: "",
      podNamespace: "shop",
    };
    const { message } = fromBinary(
      SessionRequestSchema,
      encodeRequest({ kind: "hello", ...words }),
    );
    expect(message.case).toBe("hello");
    expect(message.value).toMatchObject(words);
  });

  test("an empty Hello is a Hello", () => {
    const nothing = {
      wrapperVersion: "",
      podUid: "",
      containerName: "",
      podName: "",
      podNamespace: "",
    };
    const bytes = encodeRequest({ kind: "hello", ...nothing });
    expect(fromBinary(SessionRequestSchema, bytes).message.case).toBe("hello");
  });

  test("a Register", () => {
    const words = {
      ...{ keyCount: 300, memfdSecret: true, memoryLocked: true },
      ...{ rung: "inject" as const, bareEnvironment: 2n ** 47n - 1n },
    };
    const { message } = fromBinary(
      SessionRequestSchema,
      encodeRequest({ kind: "register", request: 2n ** 40n, pid: 4_194_303, ...words }),
    );
    expect(message.value).toMatchObject({
      request: 2n ** 40n,
      pid: 4_194_303,
      keyCount: 300,
      rung: 2,
      protections: [1, 2],
      bareEnvironment: 2n ** 47n - 1n,
    });
  });

  const none = {
    ...{ keyCount: 0, rung: undefined, memfdSecret: false, memoryLocked: false },
    bareEnvironment: 0n,
  };
  test("a Register of which nothing is known yet", () => {
    const { message } = fromBinary(
      SessionRequestSchema,
      encodeRequest({ kind: "register", request: 1n, pid: 7, ...none }),
    );
    expect(message.value).toMatchObject({ request: 1n, pid: 7, keyCount: 0, rung: 0 });
  });
});

describe("answers of the agent", () => {
  type Answer = NonNullable<MessageInitShape<typeof SessionResponseSchema>["message"]>;
  // A number that this release has no name for.
  const later = 77 as EnforcementTier;
  const tier = { enforcement: 3, capabilities: [{ mechanism: "lsm", available: true }] };
  const refusal = { code: "REGISTRATION_TAKEN", message: "taken", hint: "nearer" };
  const rows: readonly (readonly [name: string, message: Answer, read: AgentAnswer])[] = [
    [
      "a Welcome",
      { case: "welcome", value: { agentVersion: "2", bootId: "b", tier } },
      { kind: "welcome", version: "2", tier: "detect" },
    ],
    [
      "a Welcome without a tier",
      { case: "welcome", value: { agentVersion: "2" } },
      { kind: "welcome", version: "2", tier: "unknown" },
    ],
    [
      "a Registered",
      { case: "registered", value: { request: 9n, registration: 2n ** 63n, pid: 5 } },
      { kind: "registered", request: 9n, registration: 2n ** 63n },
    ],
    [
      "a Refused",
      { case: "refused", value: { request: 1n, ...refusal } },
      { kind: "refused", request: 1n, ...refusal },
    ],
    [
      "a Refused of the stream",
      { case: "refused", value: refusal },
      { kind: "refused", request: 0n, ...refusal },
    ],
    ["a Tier", { case: "tier", value: { enforcement: 5 } }, { kind: "tier", tier: "enforce" }],
    [
      "a Tier of a later release",
      { case: "tier", value: { enforcement: later } },
      { kind: "tier", tier: "unknown" },
    ],
  ];
  for (const [name, message, read] of rows) {
    test(name, () => {
      const bytes = toBinary(SessionResponseSchema, create(SessionResponseSchema, { message }));
      expect(decodeAnswer(bytes)).toEqual(read);
    });
  }

  test("a case of a later release, and fields of a fixed length", () => {
    expect(decodeAnswer(encodeFields({ 99: new Uint8Array([1]) }))).toEqual({ kind: "other" });
    expect(decodeAnswer(new Uint8Array())).toEqual({ kind: "other" });
    const fixed = Uint8Array.of(0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4, 0x18, 5);
    expect(decodeFields(fixed)).toEqual([{ number: 3, value: 5n }]);
  });

  const broken: readonly (readonly [name: string, bytes: readonly number[]])[] = [
    ["a number that does not end", [0x08, 0xff]],
    ["a number of eleven bytes", [0x08, ...Array<number>(11).fill(0xff)]],
    ["a text that is cut", [0x0a, 0x05, 0x41]],
    ["a length beyond everything", [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ["a group", [0x0b]],
  ];
  for (const [name, bytes] of broken) {
    test(`${name} is refused`, () => {
      expect(() => decodeFields(Uint8Array.from(bytes))).toThrow(RangeError);
    });
  }
});
