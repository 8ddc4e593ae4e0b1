import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unifiedRoot } from "@svc/agent/testdata";
import { startAttackVictim, temporaryFolder, waitFor } from "@svc/testing";
import { startAgent } from "../harness/agent/running-agent.ts";

/** The part of /status that this is about. */
interface SwapStatus {
  readonly swap: { readonly swappable: readonly { readonly pid: number }[] };
}

test("a registered program is kept out of swap, or /status says that it may be swapped", async () => {
  using folder = temporaryFolder();
  await using agent = await startAgent(folder.path);
  await using victim = await startAttackVictim();
  await agent.protect(victim.pid);
  const isListed = async (): Promise<boolean> => {
    const status: SwapStatus = JSON.parse((await agent.ask("/status")).body);
    return status.swap.swappable.some(({ pid }) => pid === victim.pid);
  };
  await waitFor(async () => isKeptOut(victim.pid) || (await isListed()), {
    deadlineMs: 10_000,
    what: "the agent to look at the program's control group",
  });
  expect(await isListed()).toBe(!isKeptOut(victim.pid));
});

/** By memory.swap.max of its group; the root group has none. */
function isKeptOut(pid: number): boolean {
  const root = unifiedRoot(readFileSync("/proc/self/mountinfo", "utf8")) ?? "";
  const path = /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, "utf8"))?.[1] ?? "";
  const file = join(root, path, "memory.swap.max");
  return existsSync(file) && readFileSync(file, "utf8").trim() === "0";
}
