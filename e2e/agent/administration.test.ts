import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DeliveryMethod } from "@svc/agent-protocol";
import { type AttackVictim, startAttackVictim, temporaryFolder } from "@svc/testing";
import { ordinaryAdministration } from "../harness/agent/administration.ts";
import { furtherFiles, startChores } from "../harness/agent/chores.ts";
import { type RunningAgent, startAgent } from "../harness/agent/running-agent.ts";

// On each kernel by the strongest tier that it has. SVC_ADMINISTRATION_MINUTES=60 is a soak.
const rounds = 2;
const minutes = Number(process.env["SVC_ADMINISTRATION_MINUTES"] ?? 0);
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

  test(
    "goes on, with packages, debuggers and services, and none of it is refused",
    async () => {
      const chores = startChores(() => [victim.pid]);
      const endMs = performance.now() + minutes * 60_000;
      let count = 0;
      // A row has about a hundred, and 16 kinds.
      const isOnce = () => Object.keys(chores.runs()).length >= 16;
      while (!isOnce() || performance.now() < endMs) {
        await chores.runNext();
        count += 1;
      }
      chores.end();
      process.stdout.write(`${count} chores: ${JSON.stringify(chores.runs())}\n`);
      expect(chores.runs()).toHaveProperty("dpkg");
      // The commands of the other tests read the same files.
      const refused = agent.records().filter(({ decision, kind, file }) => {
        const isFurther = kind === "process_file" && furtherFiles.includes(String(file));
        return decision === "killed" || (decision === "blocked" && !isFurther);
      });
      expect({ refused, faults: chores.faults() }).toEqual({ refused: [], faults: [] });
    },
    600_000 + minutes * 60_000,
  );

  test("shows the program in ps, and the agent has killed no process", () => {
    const { stdout, exitCode } = Bun.spawnSync(["ps", "-eo", "pid,args"]);
    expect(exitCode).toBe(0);
    expect(stdout.toString()).toMatch(new RegExp(`^ *${victim.pid} `, "m"));
    expect(agent.records().filter(({ decision }) => decision === "killed")).toEqual([]);
  });
});
