import { describe, expect, test } from "bun:test";
import type { RestartSettings } from "../settings.ts";
import { type AfterEnd, afterEnd, type EndedProgram } from "./after-end.ts";

const exit: AfterEnd = { kind: "exit" };
const again = (delayMs: number, attempt: number): AfterEnd => ({
  kind: "restart",
  delayMs,
  attempt,
});
const failed: EndedProgram = {
  ending: { exitCode: 1 },
  ranForMs: 10,
  restarts: 0,
  stopping: false,
};
const killed = (signal: number) => ({ ending: { exitCode: 128 + signal, signal } });

describe("when the program has ended", () => {
  const rows: readonly (readonly [
    name: string,
    policy: RestartSettings["policy"],
    ended: Partial<EndedProgram>,
    after: AfterEnd,
  ])[] = [
    ["never ends the wrapper", "never", {}, exit],
    ["on-failure starts a failed one again after a second", "on-failure", {}, again(1000, 1)],
    ["on-failure lets one end that exits with 0", "on-failure", { ending: { exitCode: 0 } }, exit],
    ["on-failure lets SIGTERM end it", "on-failure", killed(15), exit],
    ["on-failure lets SIGHUP end it", "on-failure", killed(1), exit],
    ["on-failure lets Ctrl-C end it", "on-failure", killed(2), exit],
    ["on-failure lets a closed pipe end it", "on-failure", killed(13), exit],
    ["on-failure starts one again that SIGSEGV ended", "on-failure", killed(11), again(1000, 1)],
    ["on-failure starts one again that SIGKILL ended", "on-failure", killed(9), again(1000, 1)],
    [
      "always starts one again that exits with 0",
      "always",
      { ending: { exitCode: 0 } },
      again(1000, 1),
    ],
    ["the pause doubles", "always", { restarts: 3 }, again(8000, 4)],
    ["the pause has an end", "always", { restarts: 99 }, again(60_000, 100)],
    [
      "a long run makes up for earlier failures",
      "always",
      { restarts: 9, ranForMs: 60_001 },
      again(1000, 1),
    ],
    ["always lets Ctrl-C end it", "always", killed(2), exit],
    ["always lets Ctrl-\\ end it", "always", killed(3), exit],
    ["nothing starts again once the end was asked for", "always", { stopping: true }, exit],
  ];
  for (const [name, policy, ended, after] of rows) {
    test(name, () => {
      expect(afterEnd({ policy, maxDelayMs: 60_000 }, { ...failed, ...ended })).toEqual(after);
    });
  }
});
