import { expect, test } from "bun:test";
import type { PlainAnswer, PlainQuestion } from "../runtime.ts";
import { askProgram, shared } from "./ask-program.ts";
import type { Readiness } from "./readiness.ts";

const ready: Readiness = { status: "ready", rotations: 0, applicationRestarts: 0 };
const program = {
  host: "10.0.0.7",
  port: 8080,
  isTls: false,
  path: "/ready",
  headers: [],
  timeoutMs: 1000,
};

async function asked(answer: PlainAnswer): Promise<Readiness> {
  return askProgram(async () => answer, program, ready);
}

test("a program that is not asked is ready", async () => {
  const never = () => Promise.reject(new TypeError("asked"));
  expect(await askProgram(never, undefined, ready)).toEqual(ready);
});

test.each([
  [200, true],
  [204, true],
  [302, true],
  [399, true],
  [400, false],
  [503, false],
  [199, false],
])("a program that answers %d is ready as the kubelet says: %p", async (status, isReady) => {
  const { status: found } = await asked({ kind: "answer", status, body: "" });
  expect(found === "ready").toBe(isReady);
});

test("a program that does not answer is not ready, and the reason says so", async () => {
  expect(await asked({ kind: "none", why: "ECONNREFUSED" })).toEqual({
    status: "starting",
    reason: "the program does not answer: ECONNREFUSED",
  });
});

test("a long answer is an answer", async () => {
  expect(await asked({ kind: "none", why: "the answer is too long" })).toEqual(ready);
});

test("the program is asked as a probe, at the pod's address", async () => {
  const questions: PlainQuestion[] = [];
  const ask = async (question: PlainQuestion): Promise<PlainAnswer> => {
    questions.push(question);
    return { kind: "answer", status: 200, body: "" };
  };
  await askProgram(ask, { ...program, headers: [["X-Probe", "1"]] }, ready);
  await askProgram(ask, { ...program, headers: [["user-agent", "mine"]] }, ready);
  expect(questions.map(({ host, path, headers }) => ({ host, path, headers }))).toEqual([
    {
      ...{ host: "10.0.0.7", path: "/ready" },
      headers: [
        ["User-Agent", "kube-probe/svc"],
        ["X-Probe", "1"],
      ],
    },
    { ...{ host: "10.0.0.7", path: "/ready" }, headers: [["user-agent", "mine"]] },
  ]);
});

test("many clients share one question, while it is under way and for a moment afterwards", async () => {
  let [asked, now] = [0, 0];
  const { promise, resolve } = Promise.withResolvers<number>();
  const ask = shared(
    () => {
      asked += 1;
      return asked === 1 ? promise : Promise.resolve(asked);
    },
    250,
    () => now,
  );
  const first = [ask(), ask()];
  now = 10_000;
  first.push(ask());
  resolve(1);
  expect(await Promise.all(first)).toEqual([1, 1, 1]);
  now += 249;
  expect(await ask()).toBe(1);
  now += 1;
  expect(await ask()).toBe(2);
});
