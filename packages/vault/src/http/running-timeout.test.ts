import { expect, test } from "bun:test";
import { runningTimeout } from "./running-timeout.ts";

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

test("aborts once the process has run for so long", async () => {
  using timeout = runningTimeout(300);
  const start = performance.now();
  await aborted(timeout.signal);
  expect(performance.now() - start).toBeGreaterThanOrEqual(250);
});

test("does not abort if the process stood still for longer", async () => {
  using timeout = runningTimeout(2000);
  // Stands for SIGSTOP: nothing of this process runs meanwhile.
  Bun.sleepSync(3000);
  await Bun.sleep(300);
  expect(timeout.signal.aborted).toBeFalse();
});

test("does not abort once it is disposed of", async () => {
  const timeout = runningTimeout(1);
  timeout[Symbol.dispose]();
  await Bun.sleep(400);
  expect(timeout.signal.aborted).toBeFalse();
});
