import { expect, test } from "bun:test";
import { toldStatus } from "./told-status.ts";

const secrets = [{ path: "secret/data/db", version: 7, since: "2026-11-28T10:00:00.000Z" }];
const nothing = {
  ...{ kind: "told", status: "unknown", reason: "", delivery: undefined, memory: undefined },
  ...{ protectionScore: undefined, rotations: undefined, applicationRestarts: undefined },
  ...{ agentConnected: undefined, secrets: [] },
};

test("all that a wrapper says is read", () => {
  const readiness = {
    ...{ status: "ready", rotations: 2, applicationRestarts: 3, protectionScore: 75 },
  };
  const delivery = { method: "inject", memory: "memfd_secret" };
  const answer = { state: "current", readiness, delivery, agent: { connected: true }, secrets };
  expect(toldStatus(answer)).toEqual({
    ...{ kind: "told", status: "ready", reason: "", delivery: "inject", memory: "memfd_secret" },
    ...{ protectionScore: 75, rotations: 2, applicationRestarts: 3 },
    ...{ agentConnected: true, secrets },
  });
});

test.each([
  ["why it is not ready", { readiness: { status: "starting", reason: "sealed" } }, "sealed"],
  [
    "why a check of a ready program fails",
    { state: "failing", reason: "refused", readiness: { status: "ready" } },
    "refused",
  ],
  ["the progress of a rotation", { state: "rotating", reason: "waits" }, "waits"],
  ["nothing of a check that is under way", { state: "checking", reason: "it checks" }, ""],
  ["nothing with control characters", { readiness: { reason: "a\u001b[1m" } }, "a [1m"],
])("the reason is %s", (_what, answer, reason) => {
  expect(toldStatus(answer)).toMatchObject({ reason });
});

test.each([
  ["nothing", undefined],
  ["a text", "ready"],
  ["no object", { readiness: "ready", delivery: 7, agent: [], secrets: {} }],
  ["other types", { readiness: { status: 7, rotations: "2", protectionScore: 1.5 } }],
])("an answer with %s is unknown", (_what, answer) => {
  expect<unknown>(toldStatus(answer)).toEqual(nothing);
});
