import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { monotonicMicroseconds } from "./monotonic-clock.ts";

test("monotonicMicroseconds counts from the boot, without the time that the machine slept", () => {
  const before = monotonicMicroseconds();
  const uptimeS = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  // /proc/uptime counts the sleep too (proc_uptime(5)); machines that run tests do not sleep for
  // long.
  expect(Number(before) / 1e6).toBeLessThan(uptimeS + 1);
  expect(Number(before) / 1e6).toBeGreaterThan(uptimeS / 100);
  expect(monotonicMicroseconds()).toBeGreaterThanOrEqual(before);
});
