import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runAttack, startAttackVictim, temporaryFolder, waitFor } from "@svc/testing";
import { type RunningAgent, startAgent } from "../harness/agent/running-agent.ts";

const folder = temporaryFolder();
let agent: RunningAgent;

beforeAll(async () => {
  agent = await startAgent(folder.path, { ENFORCE_MODE: "true", GLOBAL_PRIVESC_DETECT: "true" });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe("a BPF program of a type that networks are made of, with ENFORCE_MODE=true", () => {
  const attacks = [
    "bpf-network-program-reads",
    ...["reads", "casts", "copies", "prints", "absent"].map((way) => `bpf-connect-program-${way}`),
  ];
  for (const attack of attacks) {
    test(`is not loaded if it reads memory: ${attack}`, async () => {
      await using victim = await startAttackVictim();
      await agent.protect(victim.pid);
      const { pid, answer } = await runAttack(attack, victim);
      // A kernel that does not have the function has nothing to refuse.
      if (answer === "ENOENT") return;
      // A killed process says nothing.
      expect(["", "EPERM"]).toContain(answer);
      const told = await waitFor(() => agent.records().find(({ actor }) => isOf(actor, pid)), {
        deadlineMs: 10_000,
        what: `word of ${attack}`,
      });
      expect(told).toMatchObject({ kind: "bpf_program_load" });
      expect(["killed", "blocked"]).toContain(String(told["decision"]));
    });
  }

  test("is loaded if it reads none", async () => {
    await using victim = await startAttackVictim();
    await agent.protect(victim.pid);
    expect((await runAttack("bpf-connect-program", victim)).answer).toBe("ok");
  });

  test("is among the rows that are stopped", async () => {
    const { rows } = JSON.parse((await agent.ask("/status")).body);
    expect(["killed", "blocked"]).toContain(rows.bpf_network_program);
  });
});

function isOf(actor: unknown, pid: number): boolean {
  return typeof actor === "object" && actor !== null && "pid" in actor && actor.pid === pid;
}
