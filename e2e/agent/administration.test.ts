import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DeliveryMethod } from "@svc/agent-protocol";
import { type AttackVictim, startAttackVictim, temporaryFolder } from "@svc/testing";
import { ordinaryAdministration } from "./administration.ts";
import { type RunningAgent, startAgent } from "./running-agent.ts";

// On each kernel by the strongest tier that it has. More rounds are a soak: SVC_ADMINISTRATION_ROUNDS=5000.
const rounds = Number(process.env["SVC_ADMINISTRATION_ROUNDS"] ?? 2);
const folder = temporaryFolder();
let agent: RunningAgent;
let victim: AttackVictim;

beforeAll(async () => {
  agent = await startAgent(folder.path, { ENFORCE_MODE: "true" });
  victim = await startAttackVictim();
  // Its environment holds values, which is the worst case: `ps aux` reads it.
  await agent.protect(victim.pid, DeliveryMethod.ENV);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await victim[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe("root's ordinary administration beside an agent that enforces", () => {
  for (const who of ordinaryAdministration(process.pid).map(([name]) => name)) {
    test(
      `is not punished: ${who}`,
      () => {
        for (let round = 0; round < rounds; round += 1) {
          const commands = ordinaryAdministration(victim.pid).find(([name]) => name === who)?.[1];
          const ended = (commands ?? []).map((words) => {
            const { signalCode } = Bun.spawnSync([...words], {
              stdio: ["ignore", "ignore", "ignore"],
            });
            return { words, signal: signalCode ?? "none" };
          });
          expect(ended.filter(({ signal }) => signal !== "none")).toEqual([]);
        }
      },
      180_000 + rounds * 10_000,
    );
  }

  test("shows the program in ps, and the agent has killed no process", () => {
    const { stdout, exitCode } = Bun.spawnSync(["ps", "-eo", "pid,args"]);
    expect(exitCode).toBe(0);
    expect(stdout.toString()).toMatch(new RegExp(`^ *${victim.pid} `, "m"));
    expect(agent.records().filter(({ decision }) => decision === "killed")).toEqual([]);
  });
});
