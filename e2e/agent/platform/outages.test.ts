import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type AttackVictim,
  runAttack,
  startAttackVictim,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { startAgent } from "../../harness/agent/running-agent.ts";
import { byActor, metric, printedActors, printedOf, startPlatformStage } from "./platform-stage.ts";

let victim: AttackVictim;

beforeAll(async () => {
  victim = await startAttackVictim();
});

afterAll(() => victim[Symbol.asyncDispose]());

describe("an outage loses nothing", () => {
  test("the collector is killed, events wait on the disk, and come when it is back, by one id each", async () => {
    await using stage = await startPlatformStage({ scheme: "grpc" });
    await stage.agent.protect(victim.pid);
    await stage.receives(({ kind }) => kind === "agent_started");
    await stage.collector.kill();
    const attackers = await attemptsOf(5);
    await waitFor(
      () => attackers.every((pid) => printedActors(stage.agent).includes(pid)),
      soon("printed"),
    );
    await stage.collector.start();
    for (const pid of attackers) await stage.receives(byActor(pid));
    // A collector that is killed before it answers gets the event once more, under the same id.
    for (const pid of attackers) {
      const ids = stage.sink
        .received()
        .filter(byActor(pid))
        .map(({ id }) => id);
      expect(new Set(ids).size).toBe(1);
    }
    await waitFor(
      async () => (await metric(stage.agent, "spool_waiting")) === 0,
      soon("acknowledged"),
    );
    expect(await metric(stage.agent, "spool_lost_total")).toBe(0);
  });

  test("the agent is killed meanwhile: the next one sends its events", async () => {
    await using stage = await startPlatformStage({ scheme: "http" });
    await stage.agent.protect(victim.pid);
    await stage.receives(({ kind }) => kind === "agent_started");
    await stage.collector.kill();
    const attackers = await attemptsOf(3);
    await waitFor(
      () => attackers.every((pid) => printedActors(stage.agent).includes(pid)),
      soon("printed"),
    );
    await stage.agent.kill("SIGKILL");
    await stage.collector.start();
    await using _ = await startAgent(stage.folder, stage.environment);
    for (const pid of attackers) await stage.receives(byActor(pid));
  });

  test("a restarted agent uses no id a second time", async () => {
    using own = temporaryFolder();
    const ids: string[] = [];
    for (const _ of [1, 2]) {
      await using agent = await startAgent(own.path);
      await agent.protect(victim.pid);
      const { pid } = await runAttack("process-vm-readv", victim);
      await waitFor(() => printedActors(agent).includes(pid), soon("printed"));
      ids.push(...agent.records().map(({ id }) => id));
    }
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });

  test("a platform that rejects events gets each again under the same id", async () => {
    using own = temporaryFolder();
    const bodies: Buffer[] = [];
    await using platform = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        bodies.push(Buffer.from(Bun.gunzipSync(await request.arrayBuffer())));
        return new Response(null, { status: bodies.length < 3 ? 503 : 200 });
      },
    });
    await using agent = await startAgent(own.path, {
      PLATFORM_ENDPOINT: `http://127.0.0.1:${platform.port}`,
    });
    await waitFor(
      async () => (await metric(agent, "platform_delivered_total")) === 1,
      soon("taken"),
    );
    const [started] = agent.records();
    expect(bodies).toHaveLength(3);
    for (const body of bodies) expect(body.includes(started?.id ?? "")).toBe(true);
  });

  test("one event that the platform never takes is given up, and those beside it are not", async () => {
    using own = temporaryFolder();
    const taken: Buffer[] = [];
    let isOpen = false;
    await using platform = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        if (!isOpen) return new Response(null, { status: 503 });
        const body = Buffer.from(Bun.gunzipSync(await request.arrayBuffer()));
        if (body.includes("kcmp")) return new Response(null, { status: 400 });
        taken.push(body);
        return new Response();
      },
    });
    await using agent = await startAgent(own.path, {
      PLATFORM_ENDPOINT: `http://127.0.0.1:${platform.port}`,
    });
    await agent.protect(victim.pid);
    const before = await runAttack("process-vm-readv", victim);
    await runAttack("kcmp-first", victim);
    const after = await runAttack("pidfd-getfd", victim);
    await waitFor(() => printedActors(agent).includes(after.pid), soon("printed"));
    isOpen = true;
    await waitFor(async () => (await metric(agent, "spool_waiting")) === 0, {
      deadlineMs: 10_000,
      what: "an empty spool",
    });
    const all = Buffer.concat(taken);
    for (const { pid } of [before, after]) {
      expect(all.includes(printedOf(agent, pid)?.id ?? "none")).toBe(true);
    }
    // One is the event. The other is the agent's first log line, which has the word, too.
    expect(await metric(agent, "platform_rejected_total")).toBe(2);
  });
});

async function attemptsOf(count: number): Promise<readonly number[]> {
  const pids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    pids.push((await runAttack("process-vm-readv", victim)).pid);
  }
  return pids;
}

function soon(what: string) {
  return { deadlineMs: 5000, what: `everything to be ${what}` };
}
