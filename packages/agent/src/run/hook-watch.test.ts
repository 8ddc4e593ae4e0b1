import { expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { HookWatch } from "./hook-watch.ts";

test("reports once that the kernel no longer calls its programs, and once that it does again", async () => {
  let isCalled = true;
  let looks = 0;
  const told: string[] = [];
  const capabilities = { tier: "lsm" } as never;
  const watch = new HookWatch(
    {
      monitor: {
        capabilities,
        isCalled: () => {
          looks += 1;
          return isCalled;
        },
      },
      reporter: { reportOwn: (kind) => void told.push(kind) },
      log: () => undefined,
    },
    1,
  );
  const lookTwice = async () => {
    const seen = looks;
    await waitFor(() => looks > seen + 1, { deadlineMs: 5000, what: "two looks" });
  };
  await lookTwice();
  expect([watch.areCalled(), told]).toEqual([true, []]);
  isCalled = false;
  await lookTwice();
  expect([watch.areCalled(), told]).toEqual([false, ["agent_blinded"]]);
  isCalled = true;
  await lookTwice();
  watch.stop();
  expect([watch.areCalled(), told]).toEqual([true, ["agent_blinded", "agent_sees_again"]]);
});
