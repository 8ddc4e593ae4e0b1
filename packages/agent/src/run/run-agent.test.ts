import { afterEach, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LogLevel, lineQueue } from "@svc/logging";
import {
  certificateAuthority,
  needsRoot,
  type TemporaryFolder,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { breakGlass } from "../break-glass/run-break-glass.ts";
import type { Blindness, Monitor } from "../monitor/load-monitor.ts";
import { stopPolicy } from "../monitor/stop-policy.ts";
import { parseAgentSettings } from "../settings/agent-settings.ts";
import { openStream, type TcpReach } from "../testdata/agent-client.ts";
import { blindKernel, kernelStandIn } from "../testdata/kernel-stand-in.ts";
import { runAgent } from "./run-agent.ts";

const soon = { deadlineMs: 20_000, what: "the agent" };

interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: LogLevel;
  readonly message: string;
}

interface RunningAgent extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly socket: string;
  readonly log: readonly LogLine[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly get: (path: string) => Promise<Response>;
  readonly status: () => Promise<Readonly<Record<string, unknown>>>;
  readonly tcpPort: number;
  /** Ends it, and waits for that. */
  readonly stop: () => Promise<void>;
}

const folders: TemporaryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder[Symbol.dispose]();
});

function freshFolder(): TemporaryFolder {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
}

type Environment = Readonly<Record<string, string>>;

/** Runs an agent until it is stopped, or fails. */
function start(monitor: Monitor | Blindness, folder: TemporaryFolder, environment: Environment) {
  const at = (name: string) => join(folder.path, name);
  const parsed = parseAgentSettings(
    [],
    new Map(
      Object.entries({
        ...{ GRPC_SOCKET_PATH: at("agent.sock"), REGISTRY_PATH: at("registry") },
        ...{ ADMIN_SOCKET_PATH: at("admin.sock"), SPOOL_PATH: at("spool") },
        ...{ KUBELET_FOLDER: at("kubelet"), NODE_NAME: "node-1" },
        ...{ HEALTH_LISTEN_ADDR: "127.0.0.1:0", GRPC_LISTEN_ADDR: "127.0.0.1:0" },
        REGISTRATION_USERS: String(process.getuid?.()),
        ...environment,
      }),
    ),
  );
  if (parsed.kind !== "settings") throw new TypeError(JSON.stringify(parsed));
  const log: LogLine[] = [];
  const lines: string[] = [];
  const end = new AbortController();
  const events = lineQueue(async (text) => void lines.push(...text.trim().split("\n")));
  const ended = runAgent(parsed.settings, {
    ...{ events, signal: end.signal, openMonitor: () => monitor },
    log: (level, message, facts = {}) => void log.push({ ...facts, level, message }),
  });
  return { log, lines, ended, stop: () => end.abort(), socket: at("agent.sock") };
}

async function agentWith(
  monitor: Monitor | Blindness,
  environment: Environment = {},
  folder = freshFolder(),
): Promise<RunningAgent> {
  const { log, lines, ended, stop, socket } = start(monitor, folder, environment);
  const portIn = (message: string) => () => log.find((line) => line.message === message)?.["port"];
  const port = await Promise.race([
    ended,
    waitFor(portIn("health, status and metrics are served"), soon),
  ]);
  const get = (path: string) => fetch(`http://127.0.0.1:${String(port)}${path}`);
  const stopped = async () => {
    stop();
    await ended;
  };
  return {
    ...{ folder, socket, log, get, stop: stopped, [Symbol.asyncDispose]: stopped },
    get events() {
      return lines.map((line) => Object(JSON.parse(line)));
    },
    status: async () => Object(await (await get("/status")).json()),
    tcpPort: Number(portIn("registrations are taken")()),
  };
}

/** A program of ours. */
function startChild() {
  const child = Bun.spawn(["sleep", "600"], { stdio: ["ignore", "ignore", "ignore"] });
  return {
    pid: child.pid,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

const hello = { case: "hello", value: { wrapperVersion: "1" } } as const;
const kindsIn = (events: RunningAgent["events"]) => events.map(({ kind }) => kind);

const observing = stopPolicy({ enforce: false, enforceNode: false, reactiveKill: false });
const enforcing = stopPolicy({ enforce: true, enforceNode: true, reactiveKill: true });

describe("an agent whose programs the kernel refuses", () => {
  test("says so, is not ready, and takes registrations all the same", async () => {
    await using agent = await agentWith(blindKernel);
    const ready = await agent.get("/readyz");
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: "blind", reason: "bpf_object__load: EPERM", hint: "allow bpf(2)" },
    ]);
    expect((await agent.get("/healthz")).status).toBe(200);
    expect(await agent.status()).toMatchObject({ tier: "none", node: "node-1" });
    const errors = agent.log.filter(({ level }) => level === "error");
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining("nothing is seen"),
        tier: "none",
      }),
    ]);
    await using client = openStream(agent.socket);
    client.send(hello);
    expect((await client.next())?.case).toBe("welcome");
    await using child = startChild();
    client.send({ case: "register", value: { pid: child.pid, request: 1n, keyCount: 2 } });
    expect((await client.next())?.case).toBe("registered");
    expect(await agent.status()).toMatchObject({ registrations: { processes: 1, connected: 1 } });
    const secret = { path: "secret/data/app", version: 7n, sinceMs: 0n };
    client.send({ case: "versions", value: { secrets: [secret] } });
    const since = "1970-01-01T00:00:00.000Z";
    const versions = async () => (await agent.status())["versions"];
    await waitFor(async () => Bun.deepEquals(await versions(), []) === false, soon);
    expect(await versions()).toEqual([
      {
        registration: expect.stringMatching(/^\d+$/),
        connected: true,
        secrets: [{ path: secret.path, version: 7, since }],
      },
    ]);
  });

  test("reports its beginning and its end", async () => {
    const agent = await agentWith(blindKernel);
    await agent.stop();
    expect(kindsIn(agent.events)).toEqual(["agent_started", "agent_stopped"]);
    const [first, last] = agent.events;
    expect(first).toMatchObject({ node: "node-1", tier: "none" });
    const id = /^[0-9a-f-]{36}\/\d+\/agent\/[12]$/;
    expect([String(first?.["id"]), String(last?.["id"])]).toEqual([
      ...[expect.stringMatching(id), expect.stringMatching(id)],
    ]);
    expect(first?.["id"]).not.toBe(last?.["id"]);
    expect(existsSync(agent.socket)).toBe(false);
  });
});

describe("a second agent", () => {
  test("is refused while the first one listens", async () => {
    await using agent = await agentWith(blindKernel);
    const second = start(blindKernel, agent.folder, {});
    expect(second.ended).rejects.toMatchObject({
      code: "AGENT_RUNNING",
      message: expect.stringContaining("another agent listens there"),
    });
    await second.ended.catch(() => undefined);
    expect((await agent.get("/healthz")).status).toBe(200);
  });

  test("with another socket and the same registry is refused", async () => {
    await using agent = await agentWith(blindKernel);
    const other = { GRPC_SOCKET_PATH: join(agent.folder.path, "other.sock") };
    const second = start(blindKernel, agent.folder, other);
    expect(await second.ended.catch((error: unknown) => error)).toMatchObject({
      code: "AGENT_RUNNING",
    });
    expect(existsSync(other.GRPC_SOCKET_PATH)).toBe(false);
  });
});

test("an agent that cannot load its programs closes its sockets", async () => {
  const folder = freshFolder();
  const failing = () => {
    throw new RangeError("no object");
  };
  const socket = join(folder.path, "agent.sock");
  const environment = { GRPC_SOCKET_PATH: socket, REGISTRY_PATH: join(folder.path, "registry") };
  const parsed = parseAgentSettings([], new Map(Object.entries(environment)));
  if (parsed.kind !== "settings") throw new TypeError(parsed.kind);
  const events = lineQueue(async () => undefined);
  const { signal } = new AbortController();
  const parts = { log: () => undefined, events, signal, openMonitor: failing };
  expect(runAgent(parsed.settings, parts)).rejects.toThrow("no object");
  await waitFor(() => !existsSync(socket), soon);
});

describe("an agent whose programs hook into the kernel", () => {
  test("is ready, and reports each attempt once", async () => {
    await using kernel = kernelStandIn(observing);
    await using agent = await agentWith(kernel.monitor);
    const ready = await agent.get("/readyz");
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready", tier: "lsm" }]);
    expect(kernel.hasHeartbeat()).toBe(true);
    kernel.attempt(4_000_001);
    kernel.attempt(4_000_002);
    await waitFor(() => agent.events.length >= 3 && kernel.waiting() === 0, soon);
    const attempts = agent.events.filter(({ kind }) => kind === "process_vm_readv");
    expect(attempts.map(({ actor }) => Object(actor).pid)).toEqual([4_000_001, 4_000_002]);
    expect(attempts[0]).toMatchObject({
      node: "node-1",
      mechanism: "fmod_ret",
      decision: "blocked",
    });
    expect(await agent.status()).toMatchObject({
      events: { "process_vm_readv blocked": 2 },
      rings: { read: { violations: 2 }, unreadable: 0 },
    });
    const metrics = await (await agent.get("/metrics")).text();
    expect(metrics).toMatch(/process_vm_readv.*2\n/);
  });

  test("reports those that are left when it ends", async () => {
    await using kernel = kernelStandIn(observing);
    const agent = await agentWith(kernel.monitor);
    kernel.attempt(4_000_003);
    await agent.stop();
    expect(kindsIn(agent.events)).toEqual(["agent_started", "process_vm_readv", "agent_stopped"]);
    expect(kernel.waiting()).toBe(0);
  });

  test("protects the process of a wrapper, and keeps that over its restart", async () => {
    await using kernel = kernelStandIn(observing);
    await using child = startChild();
    const folder = freshFolder();
    {
      await using agent = await agentWith(kernel.monitor, {}, folder);
      await using client = openStream(agent.socket);
      client.send(hello);
      await client.next();
      client.send({ case: "register", value: { pid: child.pid, request: 1n, keyCount: 2 } });
      expect((await client.next())?.case).toBe("registered");
      expect(kernel.marks.protections.has(child.pid)).toBe(true);
    }
    await using later = kernelStandIn(observing);
    // The first agent has locked its file until the end of this process.
    const copy = join(folder.path, "copy");
    copyFileSync(join(folder.path, "registry"), copy);
    await using _ = await agentWith(later.monitor, { REGISTRY_PATH: copy }, folder);
    expect(later.marks.protections.get(child.pid)).toBe(kernel.marks.protections.get(child.pid));
  });

  test("sends events to the platform, with their token, and keeps them until it answers", async () => {
    const folder = freshFolder();
    let isThere = false;
    const seen: { readonly path: string; readonly token: string | null }[] = [];
    let bodies = "";
    await using platform = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0 },
      fetch: async (request) => {
        const body = new Uint8Array(await request.arrayBuffer());
        const isPacked = request.headers.get("content-encoding") === "gzip";
        if (!isThere) return new Response(null, { status: 503 });
        const { pathname: path } = new URL(request.url);
        bodies += new TextDecoder().decode(isPacked ? Bun.gunzipSync(body) : body);
        seen.push({ path, token: request.headers.get("x-token") });
        return new Response(new Uint8Array());
      },
    });
    const headers = join(folder.path, "headers");
    writeFileSync(headers, "X-Token: t-1\n");
    await using kernel = kernelStandIn(observing);
    await using agent = await agentWith(
      kernel.monitor,
      { PLATFORM_ENDPOINT: `${platform.url.origin}/v1/logs`, PLATFORM_HEADERS_FILE: headers },
      folder,
    );
    kernel.attempt(4_000_004);
    const waiting = async () => Object(Object(await agent.status())["platform"]).spool?.waiting;
    await waitFor(async () => Number(await waiting()) >= 2, soon);
    isThere = true;
    await waitFor(async () => (await waiting()) === 0, soon);
    expect(seen[0]).toEqual({ path: "/v1/logs", token: "t-1" });
    expect(bodies).toContain("svc.agent.process_vm_readv");
    await agent.stop();
    expect(bodies).toContain("svc.agent.agent_stopped");
  }, 30_000);

  test("keeps the policies of a file in force, and reports one that is wrong", async () => {
    const folder = freshFolder();
    const path = join(folder.path, "policies.yaml");
    writeFileSync(path, "policies: 5\n", { mode: 0o600 });
    await using kernel = kernelStandIn(observing);
    await using agent = await agentWith(kernel.monitor, { POLICY_FILE: path }, folder);
    expect(await agent.status()).toMatchObject({ policies: expect.any(Object) });
    const problems = async () => Object((await agent.status())["policies"]).problems ?? [];
    const [problem] = await waitFor(async () => {
      const found = await problems();
      return found.length > 0 && found;
    }, soon);
    expect(JSON.stringify(problem)).toContain("policies");
  });
});

needsRoot(describe)("an agent that enforces", () => {
  test("lets root open and close the guards, and reports that first", async () => {
    await using kernel = kernelStandIn(enforcing);
    const environment = { ENFORCE_MODE: "true", ENFORCE_NODE: "true" };
    await using agent = await agentWith(kernel.monitor, environment);
    const path = join(agent.folder.path, "admin.sock");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(kernel.monitor.state.openFor()).toBe(0);
    const reason = "a test of svc";
    expect(await breakGlass({ ask: "open", seconds: 60, reason }, path)).toEqual({
      ok: true,
      done: "the guards are open for 60 s",
    });
    expect(kernel.monitor.state.openFor()).toBeGreaterThan(50_000);
    expect(await breakGlass({ ask: "close", reason }, path)).toEqual({
      ok: true,
      done: "the guards are closed",
    });
    expect(kernel.monitor.state.openFor()).toBe(0);
    const told = agent.events.filter(({ kind }) => String(kind).startsWith("agent_break_glass"));
    expect(told).toMatchObject([
      { kind: "agent_break_glass", asked: "open", seconds: 60, reason, actor: { uid: 0 } },
      { kind: "agent_break_glass", asked: "close", reason },
      { kind: "agent_break_glass_ended", how: "closed", reason },
    ]);
    expect(readFileSync("/proc/self/comm", "utf8").trim()).toBe(Object(told[0]?.["actor"]).name);
  });
});

describe("registrations over TCP", () => {
  test("need TLS, and a client certificate is a proof", async () => {
    const folder = freshFolder();
    const authority = await certificateAuthority("svc test");
    const [server, client] = await Promise.all([authority.issue(), authority.issue()]);
    const at = (name: string, text: string) => {
      writeFileSync(join(folder.path, name), text);
      return join(folder.path, name);
    };
    const environment = {
      GRPC_TLS_CERT: at("tls.crt", server.certificatePem),
      GRPC_TLS_KEY: at("tls.key", server.keyPem),
      GRPC_TLS_CLIENT_CA: at("ca.crt", authority.certificatePem),
    };
    await using kernel = kernelStandIn(observing);
    await using agent = await agentWith(kernel.monitor, environment, folder);
    const baseUrl = `https://127.0.0.1:${agent.tcpPort}`;
    const tls = { baseUrl, ca: authority.certificatePem };
    const reach: TcpReach = { ...tls, cert: client.certificatePem, key: client.keyPem };
    await using good = openStream(reach);
    const podUid = "12345678-1234-1234-1234-123456789abc";
    good.send({ case: "hello", value: { wrapperVersion: "1", podUid } });
    expect((await good.next())?.case).toBe("welcome");
    await using bare = openStream(tls);
    bare.send({ case: "hello", value: { wrapperVersion: "1", podUid } });
    expect(bare.next()).rejects.toThrow("neither a token that can be reviewed nor a client");
    await bare.next().catch(() => undefined);
  });

  test("without TLS are refused, with the setting that is missing", async () => {
    await using agent = await agentWith(blindKernel);
    await using client = openStream({ baseUrl: `http://127.0.0.1:${agent.tcpPort}` });
    client.send(hello);
    expect(await client.next().catch((error: unknown) => String(error))).toContain(
      "the connection is not encrypted",
    );
    const said = agent.log.find(({ message }) => message.includes("no wrapper can register over"));
    expect(said?.message).toContain("GRPC_TLS_CERT is not set");
  });
});
