import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import { connect as http2Connect } from "node:http2";
import { connect } from "node:net";
import { join } from "node:path";
import { closeDescriptor, openProcess } from "@svc/kernel";
import { temporaryFolder, waitFor } from "@svc/testing";
import { type AgentClient, openStream } from "../testdata/agent-client.ts";
import { type RecordingMarks, recordingMarks } from "../testdata/recording-marks.ts";
import { childrenOf } from "./find-descendant.ts";
import type { TracedProcess } from "./find-tracer.ts";
import { openListener, type SocketListener } from "./open-listener.ts";
import { Registry } from "./registry.ts";
import { type RegistrationServer, serveRegistrations } from "./serve-registrations.ts";
import type { AnnouncedTier } from "./tier-source.ts";
import { watchNoTokens } from "./token-watch.ts";

const rules = { users: [process.getuid?.() ?? 0], units: [] };
const soon = { deadlineMs: 5_000, what: "the agent to have seen it" };

interface Stage extends AsyncDisposable {
  readonly path: string;
  readonly marks: RecordingMarks;
  readonly registry: Registry;
  readonly server: RegistrationServer;
  readonly lines: string[];
  readonly traced: TracedProcess[];
  readonly announce: (enforcement: AnnouncedTier["enforcement"]) => void;
}

const tracing: AnnouncedTier = {
  enforcement: "tracing",
  capabilities: [{ mechanism: "lsm", available: false, reason: "not in lsm=" }],
};

async function stage(): Promise<Stage> {
  const folder = temporaryFolder();
  const path = join(folder.path, "agent.sock");
  const marks = recordingMarks();
  const registry = new Registry();
  const lines: string[] = [];
  const traced: TracedProcess[] = [];
  const listeners = new Set<() => void>();
  let tier = tracing;
  const server = await serveRegistrations({
    sockets: [await openListener(path)],
    rules,
    marks,
    registry,
    tokens: watchNoTokens("a reason"),
    identity: { version: "1.2.3", bootId: "boot" },
    log: (_level, message) => void lines.push(message),
    onTraced: (found) => void traced.push(found),
    tier: {
      current: () => tier,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
  return {
    path,
    marks,
    registry,
    server,
    lines,
    traced,
    announce: (enforcement) => {
      tier = { ...tier, enforcement };
      for (const listener of listeners) listener();
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      folder[Symbol.dispose]();
    },
  };
}

const started: Bun.Subprocess[] = [];
afterEach(async () => {
  for (const child of started) child.kill("SIGKILL");
  await Promise.all(started.splice(0).map((child) => child.exited));
});

function start(...command: string[]): Bun.Subprocess {
  const child = Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] });
  started.push(child);
  return child;
}

const hello = { case: "hello", value: { wrapperVersion: "1" } } as const;

async function welcomed(client: AgentClient): Promise<void> {
  client.send(hello);
  expect((await client.next())?.case).toBe("welcome");
}

async function register(client: AgentClient, pid: number, request = 1n) {
  client.send({ case: "register", value: { pid, request, keyCount: 2 } });
  return client.next();
}

describe("a wrapper at the socket", () => {
  test("says which versions its program has, and later ones replace them", async () => {
    await using at = await stage();
    await using client = openStream(at.path);
    await welcomed(client);
    for (const version of [3n, 4n]) {
      const secrets = [{ path: "secret/data/app", version, sinceMs: 0n }];
      client.send({ case: "versions", value: { secrets } });
    }
    await waitFor(() => at.registry.versions()[0]?.secrets[0]?.version === 4, soon);
    expect((await register(client, start("sleep", "60").pid))?.case).toBe("registered");
  });

  test("that says versions before its Hello loses the stream", async () => {
    await using at = await stage();
    await using client = openStream(at.path);
    client.send({ case: "versions", value: { secrets: [] } });
    expect((await client.next())?.case).toBe("refused");
    expect(at.registry.counts().registrations).toBe(0);
  });

  test("receives this agent's abilities, and their changes", async () => {
    await using at = await stage();
    await using client = openStream(at.path);
    client.send(hello);
    const answer = await client.next();
    expect(answer?.case === "welcome" && answer.value.agentVersion).toBe("1.2.3");
    expect(answer?.case === "welcome" && answer.value.tier?.capabilities[0]?.mechanism).toBe("lsm");
    at.announce("detect");
    expect((await client.next())?.case).toBe("tier");
  });

  test("is answered if it connected before the agent took registrations", async () => {
    await using folder = disposed();
    const path = join(folder.path, "agent.sock");
    const listener = await openListener(path);
    await using client = openStream(path);
    client.send(hello);
    await using _at = await stageWith(listener);
    expect((await client.next())?.case).toBe("welcome");
  });

  test("hears why openings of its token's file are not reported, if it names one", async () => {
    await using at = await stage();
    for (const [tokenPath, reason] of [
      ["", ""],
      ["/run/token", "a reason"],
    ] as const) {
      await using client = openStream(at.path);
      client.send({ case: "hello", value: { tokenPath, tokenDevice: 57, tokenInode: 4n } });
      const answer = await client.next();
      expect(answer?.case === "welcome" && answer.value.tokenUnwatched).toBe(reason);
    }
  });

  test("has its present couriers marked before its token's file is watched", async () => {
    await using at = await stage();
    const courier = start(process.execPath, "-e", "setTimeout(() => {}, 60_000)");
    const program = start("sleep", "60");
    await waitFor(() => readlinkSync(`/proc/${courier.pid}/exe`) === process.execPath, soon);
    await using client = openStream(at.path);
    client.send({ case: "hello", value: { tokenPath: "/run/token" } });
    expect((await client.next())?.case).toBe("welcome");
    expect(at.marks.helpers.get(courier.pid)).toBe(1n);
    expect(at.marks.helpers.has(program.pid)).toBe(false);
  });

  test("protects its child, and that child's earlier children", async () => {
    await using at = await stage();
    const child = start("sh", "-c", "sleep 60 & sleep 60");
    await waitFor(() => childrenOf(child.pid).length === 2, soon);
    await using client = openStream(at.path);
    await welcomed(client);
    const answer = await register(client, child.pid);
    expect(answer?.case === "registered" && answer.value.registration).toBe(1n);
    const expected = [child.pid, ...childrenOf(child.pid)].sort();
    expect([...at.marks.protections.keys()].sort()).toEqual(expected);
    expect(at.registry.registrationOf(1n)).toMatchObject({ pids: [child.pid], keyCount: 2 });
  });

  test("owns its own registration also when its stream has ended", async () => {
    await using at = await stage();
    const client = openStream(at.path);
    await welcomed(client);
    expect([...at.marks.owners]).toEqual([[process.pid, 1n]]);
    await client.end();
    await waitFor(() => at.registry.counts().connected === 0, soon);
    expect([...at.marks.owners]).toEqual([[process.pid, 1n]]);
    expect(at.registry.counts()).toMatchObject({ registrations: 1, connected: 0 });
  });

  test("that the kernel knows from an earlier agent keeps that number through a lost stream", async () => {
    await using at = await stage();
    const child = start("sleep", "60");
    const pidfd = openProcess(process.pid);
    at.marks.own(pidfd, 77n);
    closeDescriptor(pidfd);
    const first = openStream(at.path);
    await welcomed(first);
    await first.end();
    await waitFor(() => at.registry.counts().connected === 0, soon);
    expect([...at.marks.owners]).toEqual([[process.pid, 77n]]);
    await using later = openStream(at.path);
    await welcomed(later);
    const answer = await register(later, child.pid);
    expect(answer?.case === "registered" && answer.value.registration).toBe(77n);
  });

  test("causes one report if a process traces its program already", async () => {
    await using at = await stage();
    const child = start("sleep", "60");
    const seize = `import ctypes, time; ctypes.CDLL(None).ptrace(0x4206, ${child.pid}, 0, 0); print(flush=True); time.sleep(60)`;
    const tracer = Bun.spawn(["python3", "-c", seize], { stdio: ["ignore", "pipe", "ignore"] });
    started.push(tracer);
    await tracer.stdout.getReader().read();
    await using client = openStream(at.path);
    await welcomed(client);
    for (const request of [1n, 2n]) await register(client, child.pid, request);
    expect(at.traced).toMatchObject([
      { pid: child.pid, registration: 1n, tracer: { pid: tracer.pid, name: "python3" } },
    ]);
  });

  test("that comes back has the number that it had, and its program is protected meanwhile", async () => {
    await using at = await stage();
    const child = start("sleep", "60");
    const first = openStream(at.path);
    await welcomed(first);
    await register(first, child.pid);
    await first.end();
    await waitFor(() => at.registry.counts().connected === 0, soon);
    expect(at.marks.protections.get(child.pid)).toBe(1n);
    await using second = openStream(at.path);
    await welcomed(second);
    const answer = await register(second, child.pid);
    expect(answer?.case === "registered" && answer.value.registration).toBe(1n);
  });

  const strangers: readonly (readonly [name: string, pid: () => number])[] = [
    ["process 1", () => 1],
    ["itself", () => process.pid],
    ["its parent", () => process.ppid],
    ["an unused number", () => 4_194_300],
  ];
  for (const [name, pid] of strangers) {
    test(`is refused ${name}`, async () => {
      await using at = await stage();
      await using client = openStream(at.path);
      await welcomed(client);
      const answer = await register(client, pid());
      expect(answer?.case === "refused" && answer.value.code).toBe("REGISTRATION_NOT_DESCENDANT");
      expect(at.marks.protections.size).toBe(0);
    });
  }

  test("is refused a Register without a pid, and goes on", async () => {
    await using at = await stage();
    await using client = openStream(at.path);
    await welcomed(client);
    const answer = await register(client, 0);
    expect(answer?.case === "refused" && answer.value.code).toBe("REGISTRATION_MALFORMED");
    const child = start("sleep", "60");
    expect((await register(client, child.pid))?.case).toBe("registered");
  });

  test("that begins with a Register is refused, and its stream ends", async () => {
    await using at = await stage();
    await using client = openStream(at.path);
    const answer = await register(client, 5);
    expect(answer?.case === "refused" && answer.value.code).toBe("REGISTRATION_MALFORMED");
    expect(await client.next()).toBeUndefined();
  });

  test("that sends too much is refused, and its stream ends", async () => {
    await using at = await stage();
    await using client = openStream(at.path);
    await welcomed(client);
    for (let i = 0; i < 200; i++) client.send({ case: "register", value: { pid: 0 } });
    const codes = new Set<string>();
    for (let answer = await client.next(); answer !== undefined; answer = await client.next()) {
      if (answer.case === "refused") codes.add(answer.value.code);
    }
    expect([...codes]).toEqual(["REGISTRATION_MALFORMED", "REGISTRATION_LIMIT"]);
  });

  test("that says garbage loses its connection, and others do not", async () => {
    await using at = await stage();
    await using client = openStream(at.path);
    await welcomed(client);
    const socket = connect(at.path);
    const closed = Promise.withResolvers<void>();
    socket.on("close", () => closed.resolve());
    socket.on("error", () => closed.resolve());
    socket.resume();
    socket.write(new Uint8Array(70_000).fill(0x47));
    await closed.promise;
    expect((await register(client, start("sleep", "60").pid))?.case).toBe("registered");
  });
});

test("a request with an invalid :authority ends at most its connection, not the agent", async () => {
  await using at = await stage();
  const session = http2Connect("http://agent", { createConnection: () => connect(at.path) });
  session.on("error", () => undefined);
  const stream = session.request({
    ...{ ":method": "POST", ":authority": "[::", "content-type": "application/grpc" },
    ":path": "/svc.agent.v1.AgentService/Registration",
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const event of ["response", "error", "close"]) stream.once(event, () => resolve());
  stream.end();
  await promise;
  session.destroy();
  await using client = openStream(at.path);
  await welcomed(client);
});

describe("the socket", () => {
  test("accepts connections of every user, and replaces one that was left", async () => {
    await using folder = disposed();
    const path = join(folder.path, "agent.sock");
    const left = Bun.spawnSync(["python3", "-c", `import socket;socket.socket(1).bind("${path}")`]);
    expect(left.exitCode).toBe(0);
    await using at = await stageAt(path);
    expect(lstatSync(path).mode & 0o777).toBe(0o666);
    await using client = openStream(at.path);
    await welcomed(client);
  });

  test("is not taken from an agent that runs", async () => {
    await using at = await stage();
    expect(await codeOf(stageAt(at.path))).toBe("SOCKET_UNUSABLE");
    expect(existsSync(at.path)).toBe(true);
  });

  test("replaces no file", async () => {
    await using folder = disposed();
    const path = join(folder.path, "agent.sock");
    writeFileSync(path, "");
    expect(await codeOf(stageAt(path))).toBe("SOCKET_UNUSABLE");
  });

  test("is not made in a folder that others may write to", async () => {
    await using folder = disposed();
    const open = join(folder.path, "open");
    mkdirSync(open);
    Bun.spawnSync(["chmod", "777", open]);
    expect(await codeOf(stageAt(join(open, "agent.sock")))).toBe("SOCKET_UNUSABLE");
  });
});

function disposed() {
  const folder = temporaryFolder();
  return { path: folder.path, [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() };
}

async function stageAt(path: string) {
  return { path, ...(await stageWith(await openListener(path))) };
}

async function stageWith(listener: SocketListener) {
  const server = await serveRegistrations({
    sockets: [listener],
    rules,
    marks: recordingMarks(),
    registry: new Registry(),
    tokens: watchNoTokens("a reason"),
    identity: { version: "1", bootId: "b" },
    log: () => undefined,
    tier: { current: () => tracing, onChange: () => () => undefined },
  });
  return { [Symbol.asyncDispose]: () => server.stop() };
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return "worked";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}
