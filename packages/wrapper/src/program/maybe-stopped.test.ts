import { afterAll, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { maybeStopped } from "./maybe-stopped.ts";

const child = Bun.spawn(["/bin/cat"], { stdio: ["pipe", "ignore", "ignore"] });
afterAll(() => child.kill("SIGKILL"));

test("a child may be stopped from SIGSTOP to SIGCONT", async () => {
  await waitFor(() => !maybeStopped(child.pid), { deadlineMs: 30_000, what: "its start" });
  child.kill("SIGSTOP");
  await waitFor(() => maybeStopped(child.pid), { deadlineMs: 30_000, what: "its stop" });
  child.kill("SIGCONT");
  await waitFor(() => !maybeStopped(child.pid), { deadlineMs: 30_000, what: "that it goes on" });
});

test("a child without a status in /proc may be stopped", () => {
  // Process 0 is the kernel, and /proc has no status for it.
  expect(maybeStopped(0)).toBe(true);
});
