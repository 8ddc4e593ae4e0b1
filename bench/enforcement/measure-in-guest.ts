/**
 * Runs in a guest: the time of harmless calls without an agent, with one that only reports, and
 * with one that refuses.
 */
import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { runAttack, temporaryFolder } from "@svc/testing";
import { startAgent } from "../../e2e/harness/agent/running-agent.ts";

/** Nanoseconds of one call, the best of some rounds, by call and by kind of agent. */
export type Costs = Readonly<Record<string, Readonly<Record<string, number>>>>;

const calls = {
  getppid: 200_000,
  "read-byte": 200_000,
  "open-file": 20_000,
  "map-page": 50_000,
  "signal-itself": 100_000,
  "run-program": 50,
};
const ROUNDS = 5;

const [, , target = ""] = argv;
const costs: Record<string, Record<string, number>> = {};
await measure("nothing");
for (const [name, enforce] of [
  ["looks", "false"],
  ["refuses", "true"],
] as const) {
  using folder = temporaryFolder();
  const agent = await startAgent(folder.path, {
    ENFORCE_MODE: enforce,
    GLOBAL_PRIVESC_DETECT: "true",
  });
  await measure(name);
  await agent.kill("SIGTERM");
}
writeFileSync(target, JSON.stringify(costs));

async function measure(name: string): Promise<void> {
  for (const [call, count] of Object.entries(calls)) {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { seconds } = await runAttack(call, { pid: process.pid }, { count });
      best = Math.min(best, (seconds / count) * 1e9);
    }
    costs[call] = { ...costs[call], [name]: Math.round(best) };
  }
}
