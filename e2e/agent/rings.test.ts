import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { release } from "node:os";
import { isAtLeast } from "@svc/agent/testdata";
import { type AttackVictim, runAttack, startAttackVictim, waitFor } from "@svc/testing";
import { type AgentStage, startAgentStage } from "../harness/agent/agent-stage.ts";
import { lineReader } from "../harness/processes/line-reader.ts";
import { agentProgram } from "./agent-programs.ts";

const soon = (what: string) => ({ deadlineMs: 60_000, what });

// Before, no tracepoint shows a request that a ring begins.
describe.skipIf(!isAtLeast(release(), 6, 5))("files that a ring opens without an answer", () => {
  let agent: AgentStage;
  let victim: AttackVictim;

  beforeAll(async () => {
    victim = await startAttackVictim();
    agent = startAgentStage();
    agent.protect(victim.pid, 7n);
  });
  afterAll(async () => {
    agent[Symbol.dispose]();
    await victim[Symbol.asyncDispose]();
  });

  const eventsOf = (pid: number) => agent.violations().filter(({ actor }) => actor.pid === pid);

  describe("are seen when they are used by", () => {
    const rows: Readonly<Record<string, "reader" | "opener">> = {
      itself: "reader",
      child: "reader",
      program: "reader",
      sharer: "reader",
      taker: "reader",
      // The reader may be any process: the message is looked at.
      receiver: "opener",
      "ring-receiver": "opener",
    };
    for (const [who, actor] of Object.entries(rows)) {
      test(`${who}: the actor is the ${actor}`, async () => {
        await using opener = startOpener(`/proc/${victim.pid}/maps`, who);
        const reader = Number(await opener.nextLine());
        const pid = actor === "reader" ? reader : opener.pid;
        const found = await waitFor(
          () => {
            const events = eventsOf(pid);
            return events.length > 0 && events;
          },
          soon(`an event of ${who}`),
        );
        expect(found[0]).toMatchObject({
          ...{ kind: "process_file", file: "maps", mechanism: "tracing" },
          target: { pid: victim.pid },
        });
      });
    }
  });

  test("cost other processes nothing, and nothing when the process has ended", async () => {
    const before = agent.ringOpeners();
    const opener = startOpener(`/proc/${victim.pid}/status`, "none");
    expect(Number(await opener.nextLine())).toBe(opener.pid);
    expect(agent.ringOpeners()).toBeGreaterThan(before);
    // It uses a descriptor that was open before the agent looked: such uses are not looked at.
    await using other = startHolder(victim.pid);
    await other.isOpen;
    using later = startAgentStage();
    later.protect(victim.pid, 7n);
    await using second = startOpener(`/proc/${victim.pid}/status`, "none");
    await second.nextLine();
    expect(later.ringOpeners()).toBeGreaterThan(0);
    await other.reads();
    const { pid } = await runAttack("process-vm-readv", victim);
    const seen = () => later.violations().map(({ actor }) => actor.pid);
    const actors = await waitFor(() => {
      const found = seen();
      return found.includes(pid) && found;
    }, soon("the event of an attack"));
    expect(actors).not.toContain(other.pid);
    await opener[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await waitFor(() => agent.ringOpeners() <= before, soon("the end of the opener"));
  });
});

/** testdata/opens-by-ring.c */
function startOpener(path: string, who: string) {
  const child = Bun.spawn([agentProgram("opens-by-ring"), path, who], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  return {
    pid: child.pid,
    nextLine: lineReader(child.stdout),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await child.exited;
    },
  };
}

/** Opens the map of a process's memory now, and reads it when it is told. */
function startHolder(pid: number) {
  const script = `exec 9< /proc/${pid}/maps; echo open; read word; read line <&9; echo "$line"; read word`;
  const child = Bun.spawn(["bash", "-c", script], { stdio: ["pipe", "pipe", "inherit"] });
  const nextLine = lineReader(child.stdout);
  const isOpen = nextLine();
  return {
    ...{ pid: child.pid, isOpen },
    reads: async () => {
      child.stdin.write("\n");
      child.stdin.flush();
      expect(await nextLine()).toMatch(/^[0-9a-f]+-/);
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await child.exited;
    },
  };
}
