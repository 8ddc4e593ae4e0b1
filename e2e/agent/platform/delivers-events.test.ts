import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AttackVictim,
  certificateAuthority,
  runAttack,
  startAttackVictim,
  type TemporaryFolder,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { type RunningAgent, startAgent } from "../running-agent.ts";
import {
  type Collector,
  type CollectorTls,
  prepareCollector,
  type ReceivedRecord,
  type Sink,
  startSink,
} from "./collector.ts";

const TOKEN = "canary-platform-token-7f3a";

let folder: TemporaryFolder;
let victim: AttackVictim;

beforeAll(async () => {
  folder = temporaryFolder();
  victim = await startAttackVictim();
});

afterAll(async () => {
  await victim[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe("a real collector is given every event", () => {
  const rows: readonly (readonly [
    name: string,
    scheme: string,
    environment: Record<string, string>,
  ])[] = [
    ["over gRPC, compressed", "grpc", {}],
    ["over gRPC, not compressed", "grpc", { PLATFORM_COMPRESSION: "none" }],
    ["over HTTP, compressed", "http", {}],
    ["over HTTP, not compressed", "http", { PLATFORM_COMPRESSION: "none" }],
  ];
  for (const [name, scheme, environment] of rows) {
    test(name, async () => {
      await using stage = await startStage({ scheme, environment });
      await stage.agent.protect(victim.pid);
      const { pid } = await runAttack("process-vm-readv", victim);
      const record = await stage.receives(byActor(pid));
      expect(record).toMatchObject({
        severity: "WARN",
        resource: { "service.name": "svc-agent", "k8s.node.name": "node-1" },
        attributes: {
          "svc.event.kind": "process_vm_readv",
          "svc.event.decision": "observed",
          "process.executable.name": "svc-attack",
          "k8s.container.name": "web",
        },
        body: { kind: "process_vm_readv", target: { registration: { keyCount: "2" } } },
      });
      expect(record.id).toBe(printed(stage.agent, record.id)?.id ?? "");
    });
  }

  const secured: readonly (readonly [name: string, scheme: string, mutual: boolean])[] = [
    ["over gRPC with TLS", "grpcs", false],
    ["over gRPC with TLS and a certificate of its own", "grpcs", true],
    ["over HTTP with TLS", "https", false],
    ["over HTTP with TLS and a certificate of its own", "https", true],
  ];
  for (const [name, scheme, mutual] of secured) {
    test(name, async () => {
      await using stage = await startStage({ scheme, tls: mutual ? "mutual" : "server" });
      await stage.receives(({ kind }) => kind === "agent_started");
    });
  }

  test("a certificate that nobody has signed is not trusted, and the event waits", async () => {
    await using stage = await startStage({ scheme: "https", tls: "server", trusts: false });
    await waitFor(() => stage.agent.log().includes("the platform does not take events"), {
      deadlineMs: 5000,
      what: "the agent to complain",
    });
    expect(stage.sink.received()).toEqual([]);
    expect((await stage.agent.ask("/metrics")).body).toContain("svc_agent_platform_up 0");
  });
});

describe("headers", () => {
  test("reach the platform, are read again after a refusal, and are in no line", async () => {
    using own = temporaryFolder();
    const file = join(own.path, "headers");
    writeFileSync(file, `Authorization: Bearer wrong\n`);
    const seen: string[] = [];
    await using platform = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        const given = request.headers.get("authorization") ?? "";
        seen.push(given);
        return new Response(null, { status: given === `Bearer ${TOKEN}` ? 200 : 401 });
      },
    });
    await using agent = await startAgent(own.path, {
      PLATFORM_ENDPOINT: `http://127.0.0.1:${platform.port}`,
      PLATFORM_HEADERS_FILE: file,
    });
    await waitFor(() => seen.includes("Bearer wrong"), {
      deadlineMs: 5000,
      what: "a first request",
    });
    writeFileSync(file, `# of the platform\n\nAuthorization: Bearer ${TOKEN}\n`);
    await waitFor(() => seen.includes(`Bearer ${TOKEN}`), {
      deadlineMs: 5000,
      what: "the new header",
    });
    await waitFor(
      async () => (await agent.ask("/metrics")).body.includes("svc_agent_platform_up 1"),
      {
        deadlineMs: 5000,
        what: "the platform to be up",
      },
    );
    const { body } = await agent.ask("/status");
    const everything = `${agent.log()}${JSON.stringify(agent.records())}${body}`;
    expect(everything).not.toContain(TOKEN);
    expect(everything).not.toContain("wrong");
  });
});

describe("an outage loses nothing", () => {
  test("the collector is killed, events wait on the disk, and come when it is back, once each", async () => {
    await using stage = await startStage({ scheme: "grpc" });
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
    const ids = stage.sink.received().map(({ id }) => id);
    expect(ids.length).toBe(new Set(ids).size);
    await waitFor(
      async () => (await metric(stage.agent, "spool_waiting")) === 0,
      soon("acknowledged"),
    );
    expect(await metric(stage.agent, "spool_lost_total")).toBe(0);
  });

  test("the agent is killed meanwhile: the next one sends what it had", async () => {
    await using stage = await startStage({ scheme: "http" });
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

  test("an agent that is started anew gives no id a second time", async () => {
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

  test("a platform that is refused what it sends again gets each event under the same id", async () => {
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
    // One is the event, the other what the agent said when it started, in which the word is as well.
    expect(await metric(agent, "platform_rejected_total")).toBe(2);
  });
});

interface StageWish {
  readonly scheme: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly tls?: "server" | "mutual";
  readonly trusts?: boolean;
}

interface Stage extends AsyncDisposable {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly agent: RunningAgent;
  readonly collector: Collector;
  readonly sink: Sink;
  readonly receives: (wanted: (record: ReceivedRecord) => boolean) => Promise<ReceivedRecord>;
}

async function startStage({
  scheme,
  environment = {},
  tls,
  trusts = true,
}: StageWish): Promise<Stage> {
  const own = temporaryFolder();
  const sink = startSink();
  const files = tls && (await certificates(own.path, tls, trusts));
  const collector = await prepareCollector(own.path, sink, files?.collector);
  await collector.start();
  const port = scheme.startsWith("grpc") ? collector.grpcPort : collector.httpPort;
  const settings = {
    PLATFORM_ENDPOINT: `${scheme}://127.0.0.1:${port}`,
    ...files?.agent,
    ...environment,
  };
  const agent = await startAgent(own.path, settings);
  return {
    folder: own.path,
    environment: settings,
    ...{ agent, collector, sink },
    receives: (wanted) =>
      waitFor(() => sink.received().find(wanted) ?? false, {
        deadlineMs: 10_000,
        what: "the platform to have the event",
      }),
    [Symbol.asyncDispose]: async () => {
      await agent[Symbol.asyncDispose]();
      await collector[Symbol.asyncDispose]();
      await sink[Symbol.asyncDispose]();
      own[Symbol.dispose]();
    },
  };
}

async function certificates(path: string, tls: "server" | "mutual", trusts: boolean) {
  const authority = await certificateAuthority();
  const other = await certificateAuthority("another");
  const server = await authority.issue();
  const client = await authority.issue({ names: ["svc-agent"] });
  const write = (name: string, text: string) => {
    const file = join(path, name);
    writeFileSync(file, text);
    return file;
  };
  const ca = write("ca.pem", (trusts ? authority : other).certificatePem);
  const collector: CollectorTls = {
    certPath: write("server.pem", server.certificatePem),
    keyPath: write("server-key.pem", server.keyPem),
    ...(tls === "mutual" && { clientCaPath: write("client-ca.pem", authority.certificatePem) }),
  };
  const agent = {
    PLATFORM_TLS_CA: ca,
    ...(tls === "mutual" && {
      PLATFORM_TLS_CERT: write("client.pem", client.certificatePem),
      PLATFORM_TLS_KEY: write("client-key.pem", client.keyPem),
    }),
  };
  return { collector, agent };
}

function byActor(pid: number) {
  return ({ attributes }: ReceivedRecord) => attributes["process.pid"] === String(pid);
}

async function attemptsOf(count: number): Promise<readonly number[]> {
  const pids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    pids.push((await runAttack("process-vm-readv", victim)).pid);
  }
  return pids;
}

function printed(agent: RunningAgent, id: string) {
  return agent.records().find((record) => record.id === id);
}

function actorPid(record: Readonly<Record<string, unknown>>): number | undefined {
  const { actor } = record;
  const isActor = typeof actor === "object" && actor !== null && "pid" in actor;
  return isActor ? Number(actor.pid) : undefined;
}

function printedOf(agent: RunningAgent, pid: number) {
  return agent.records().find((record) => actorPid(record) === pid);
}

function printedActors(agent: RunningAgent): readonly (number | undefined)[] {
  return agent.records().map(actorPid);
}

async function metric(agent: RunningAgent, name: string): Promise<number> {
  const { body } = await agent.ask("/metrics");
  const lines = body.split("\n").filter((line) => line.startsWith(`svc_agent_${name}`));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

function soon(what: string) {
  return { deadlineMs: 5000, what: `everything to be ${what}` };
}
