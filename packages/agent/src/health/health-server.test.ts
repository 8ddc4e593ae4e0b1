import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { AgentError } from "../agent-error.ts";
import { kindsOf } from "../monitor/capabilities.ts";
import { stopsOf } from "../monitor/stop-rows.ts";
import type { AgentFacts } from "./agent-facts.ts";
import { type HealthServer, serveHealth } from "./health-server.ts";
import { agentMetrics, METRIC_PREFIX, renderMetrics } from "./metric-table.ts";
import type { AgentReadiness } from "./status-page.ts";

const used = { state: "used" } as const;
const seen = { ptrace: "a program", kcmp: "another one" };
const named = { container: "web", podName: "web-0", podNamespace: "shop" };
const held = { path: "secret/data/app", version: 7, since: "2026-11-28T10:00:00.000Z" };
const facts: AgentFacts = {
  ...{ version: "1.2.3", node: "n", bootId: "b", linesDropped: 2 },
  ...{ enforcementWanted: true, guardsOpenMs: 1500 },
  capabilities: {
    ...{ tier: "lsm", refused: [], isPinned: true },
    mechanisms: { lsm: used, fmod_ret: used, override: used, tracing: used },
    ...kindsOf([]),
    ...stopsOf({
      tier: "lsm",
      policy: { stopped: 2n, killed: 0n },
      seen,
      knowsInodes: true,
      readsKernel: true,
      seesMemory: true,
      killsSharers: true,
    }),
  },
  surroundings: {
    ...{ kernel: "6.1", btf: true, lockdown: "none", bpfInLsm: true, bpffs: true, tracefs: true },
    machinePids: true,
    missingCapabilities: [],
  },
  drops: { violations: 1n, everything: 2n, inheritances: 3n },
  pump: { read: { violations: 10, everything: 20 }, unreadable: 0 },
  events: new Map([["ptrace observed", 10]]),
  programs: new Map([["file_open_lsm", { runs: 5n, nanoseconds: 2_000_000_000n, misses: 1n }]]),
  platform: {
    spool: { waiting: 4, bytes: 400, evicted: 1, refused: 0, damagedBytes: 0 },
    delivery: { delivered: 6, rejected: 1, failedRequests: 2, isReachable: true },
    oldestWaitingSeconds: 1.5,
  },
  registrations: { registrations: 3, connected: 2, processes: 5, turnedAway: 0 },
  versions: [{ registration: 2n, podUid: "uid", named, connected: true, secrets: [held] }],
  tokenFiles: { volumes: 2, wrappers: 3 },
  swap: { spaces: ["/dev/sda2"], keepsOut: true, swappable: [{ pid: 7, reason: "a reason" }] },
  policies: {
    policies: [{ name: "gdb", reason: "r", mode: "allow", state: "expired" }],
    problems: ['policies[0].mode: wanted allow or dry-run, found "off"', "another"],
    resources: { listed: true, heardSecondsAgo: 3 },
  },
};

let readiness: AgentReadiness = { status: "ready", tier: "lsm" };
let server: HealthServer;
beforeAll(() => {
  server = serveHealth({
    host: "127.0.0.1",
    port: 0,
    facts: () => facts,
    readiness: () => readiness,
  });
});
afterAll(() => server.stop());

describe("answers", () => {
  const rows = [
    ["GET", "/healthz", 200, '{"status":"ok"}\n'],
    ["GET", "/readyz", 200, '{"status":"ready","tier":"lsm"}\n'],
    ["HEAD", "/readyz", 200, ""],
    ["POST", "/metrics", 405, "METHOD_NOT_ALLOWED"],
    ["GET", "/", 404, "NOT_FOUND"],
    ["GET", "/constructor", 404, "NOT_FOUND"],
  ] as const;
  for (const [method, path, status, body] of rows) {
    test(`${method} ${path}: ${status}`, async () => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      expect(response.status).toBe(status);
      expect(await response.text()).toContain(body);
    });
  }

  for (const head of ["GET /healthz?x HTTP/1.0\r\n", "GET /healthz HTTP/1.1\r\nHost: [\r\n"]) {
    test(`${JSON.stringify(head)}, as old probes ask: 200`, async () => {
      const answer = Promise.withResolvers<string>();
      const socket = connect(server.port, "127.0.0.1", () => socket.write(`${head}\r\n`));
      socket.once("data", (bytes) => answer.resolve(String(bytes)));
      socket.once("error", answer.reject);
      expect(await answer.promise).toStartWith("HTTP/1.1 200");
      socket.destroy();
    });
  }

  test("an agent that sees nothing is alive and not ready", async () => {
    readiness = { status: "blind", reason: "bpf_object__load: EPERM" };
    const response = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual(readiness);
    expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
    readiness = { status: "ready", tier: "lsm" };
  });

  test("the status shows covered kinds, uncovered kinds, and enforcement", async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/status`);
    expect(await response.json()).toMatchObject({
      ...{ version: "1.2.3", tier: "lsm", events: { "ptrace observed": 10 } },
      enforcement: { wanted: true, does: "refuse", outlivesTheAgent: true, guardsOpenSeconds: 2 },
      rows: { ptrace: "blocked", kcmp: "seen", kexec: "not covered" },
      rings: { lost: { violations: 1, everything: 2 } },
      platform: { spool: { waiting: 4 } },
      versions: [{ registration: "2", podUid: "uid", ...named, connected: true, secrets: [held] }],
    });
  });
});

test("a port in use is an error that names the setting", () => {
  const again = () =>
    serveHealth({
      host: "127.0.0.1",
      port: server.port,
      facts: () => facts,
      readiness: () => readiness,
    });
  expect(again).toThrow(AgentError);
  expect(again).toThrow("listen on HEALTH_LISTEN_ADDR: EADDRINUSE");
});

describe("metrics", () => {
  const text = renderMetrics(facts);
  const rows = [
    'events_total{kind="ptrace",decision="observed"} 10',
    'ring_lost_total{ring="violations"} 1',
    "inheritance_lost_total 3",
    'tier{tier="lsm"} 1',
    'tier{tier="none"} 0',
    'registrations{connected="false"} 1',
    "spool_oldest_seconds 1.5",
    'spool_lost_total{reason="evicted"} 1',
    'program_run_seconds_total{program="file_open_lsm"} 2',
    "log_lines_dropped_total 2",
    'policies{state="expired"} 1',
    'policies{state="in force"} 0',
    "policy_problems 2",
  ];
  for (const row of rows) {
    test(row, () => expect(text).toContain(`\n${METRIC_PREFIX}${row}\n`));
  }

  test("each has its help and its type once, and its samples right behind", () => {
    for (const { name, type } of agentMetrics) {
      expect(text.split(`# TYPE ${METRIC_PREFIX}${name} ${type}\n`)).toHaveLength(2);
    }
    expect(text).not.toMatch(/NaN|undefined/);
  });

  test("without a platform there is nothing to say of it", () => {
    const { platform: _, ...without } = facts;
    expect(renderMetrics(without)).not.toContain("spool");
  });
});
