import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AttackVictim, startAttackVictim } from "@svc/testing";
import { type AgentStage, startAgentStage } from "../harness/agent/agent-stage.ts";
import { neighbours } from "../harness/agent/neighbours.ts";

let agent: AgentStage;
let victim: AttackVictim;

beforeAll(async () => {
  victim = await startAttackVictim();
  agent = startAgentStage();
  agent.protect(victim.pid, 1n, "bare");
});

afterAll(async () => {
  agent[Symbol.dispose]();
  await victim[Symbol.asyncDispose]();
});

describe("no event comes of", () => {
  for (const [who, script] of neighbours) {
    test(who, () => {
      const env = { ...process.env, VICTIM: String(victim.pid) };
      const { exitCode } = Bun.spawnSync(["sh", "-c", script], { env });
      expect({ exitCode }).not.toEqual({ exitCode: 127 });
      expect(agent.violations()).toEqual([]);
    });
  }

  test("all of them, together, for two seconds", async () => {
    const env = { ...process.env, VICTIM: String(victim.pid) };
    const end = performance.now() + 2000;
    let rounds = 0;
    while (performance.now() < end) {
      const running = neighbours.map(([, script]) =>
        Bun.spawn(["sh", "-c", script], { env, stdio: ["ignore", "ignore", "ignore"] }),
      );
      await Promise.all(running.map(({ exited }) => exited));
      rounds += 1;
    }
    expect(rounds).toBeGreaterThan(0);
    expect(agent.violations()).toEqual([]);
    expect(agent.dropped()).toBe(0);
  });
});
