import { describe, expect, test } from "bun:test";
import { MAX_LEASE_SAMPLES, METRIC_PREFIX, wrapperMetrics } from "./metric-table.ts";
import { renderMetrics } from "./metrics.ts";
import { noCounts, type WrapperFacts } from "./wrapper-facts.ts";

const START_MS = 1_700_000_000_000;
const fresh: WrapperFacts = {
  ...noCounts,
  version: "1.2.3",
  ...{ startedAtMs: START_MS, nowMs: START_MS },
  status: "starting",
  ...{ sealed: false, rotationWaits: false, applicationRunning: false },
  leases: [],
  secrets: [],
};
const busy: WrapperFacts = {
  ...fresh,
  nowMs: START_MS + 60_000,
  status: "ready",
  applicationRunning: true,
  renewals: { renewed: 4, refused: 1, failed: 2 },
  rotations: { restart: { completed: 3, failed: 1 }, sighup: { completed: 0, failed: 0 } },
  tokenExpiresAtMs: START_MS + 90_500,
  secretsCheckedAtMs: START_MS + 45_000,
  leases: [{ path: "database/creds/app", expiresAtMs: START_MS + 61_000 }],
  secrets: [{ path: "secret/data/app", version: 7, sinceMs: START_MS + 1500 }],
  delivery: { method: "inject", memory: "memfd_secret" },
  protection: {
    score: 85,
    items: [
      { protection: "memfd_secret", points: 15, most: 15 },
      { protection: "mlock", points: 0, most: 10 },
    ],
  },
};

describe("renderMetrics", () => {
  const rows: readonly (readonly [name: string, facts: WrapperFacts, line: string])[] = [
    ["the version", fresh, 'build_info{version="1.2.3"} 1'],
    ["the start", fresh, "start_time_seconds 1700000000"],
    ["not ready", fresh, "ready 0"],
    ["ready", busy, "ready 1"],
    ["not sealed", busy, "sealed 0"],
    ["a rotation that waits for a permit", { ...busy, rotationWaits: true }, "rotation_waiting 1"],
    ["sealed", { ...fresh, status: "ready", sealed: true }, "sealed 1"],
    ["a running application", busy, "application_running 1"],
    ["a counter that never counted", fresh, 'renewals_total{result="failed"} 0'],
    ["a counter that counted", busy, 'renewals_total{result="renewed"} 4'],
    ["rotations", busy, 'rotations_total{mode="restart",result="failed"} 1'],
    ["seconds to the token's end", busy, "token_expires_seconds 30.5"],
    ["an expired token", { ...busy, tokenExpiresAtMs: START_MS }, "token_expires_seconds -60"],
    ["the age of the values", busy, "secrets_checked_seconds 15"],
    ["seconds to a lease's end", busy, 'lease_expires_seconds{path="database/creds/app"} 1'],
    ["the version of a secret", busy, 'secret_version{path="secret/data/app"} 7'],
    [
      "since when the program has it",
      busy,
      'secret_version_since_timestamp_seconds{path="secret/data/app"} 1700000001.5',
    ],
    ["the delivery", busy, 'delivery_info{delivery="inject",memory="memfd_secret"} 1'],
    ["an agent that is there", { ...fresh, agent: { connected: true } }, "agent_connected 1"],
    ["an agent that is away", { ...fresh, agent: { connected: false } }, "agent_connected 0"],
    [
      "the agent's tier",
      { ...fresh, agent: { connected: true, tier: "detect" } },
      'agent_tier_info{tier="detect"} 1',
    ],
    ["a weak protection", busy, 'degraded{protection="mlock"} 1'],
    ["a protection that holds", busy, 'degraded{protection="memfd_secret"} 0'],
    ["the points of a protection", busy, 'protection_points{protection="memfd_secret"} 15'],
    ["the protection score", busy, "protection_score 85"],
    ["an attempt", fresh, 'unseal_attempts_total{result="throttled"} 0'],
  ];
  for (const [name, facts, line] of rows) {
    test(`shows ${name}`, () => {
      expect(renderMetrics(facts).split("\n")).toContain(METRIC_PREFIX + line);
    });
  }

  test("leaves out unknown values", () => {
    const text = renderMetrics(fresh);
    for (const name of [
      "token_expires",
      "secrets_checked",
      "secret_version",
      "delivery_info",
      "degraded",
      "score",
      "agent",
    ]) {
      expect(text).not.toContain(name);
    }
  });

  test("escapes labels", () => {
    const leases = [{ path: 'a"b\\c\nd', expiresAtMs: START_MS }];
    expect(renderMetrics({ ...fresh, leases })).toContain('{path="a\\"b\\\\c\\nd"} 0\n');
  });

  test("has a bounded number of lines, for the leases that expire first", () => {
    const leases = Array.from({ length: 500 }, (_, index) => ({
      path: `path-${index}`,
      expiresAtMs: START_MS + (500 - index) * 1000,
    }));
    const text = renderMetrics({ ...fresh, leases });
    expect(text.match(/lease_expires_seconds\{/g)).toHaveLength(MAX_LEASE_SAMPLES);
    expect(text).toContain('{path="path-499"} 1\n');
    expect(text).toContain(`${METRIC_PREFIX}leases 500\n`);
  });

  test("has one line for a path with several leases, that of the first to expire", () => {
    const leases = [3, 1, 2].map((seconds) => ({
      path: "same",
      expiresAtMs: START_MS + seconds * 1000,
    }));
    expect(renderMetrics({ ...fresh, leases }).match(/.*\{path.*/g)).toEqual([
      `${METRIC_PREFIX}lease_expires_seconds{path="same"} 1`,
    ]);
  });

  for (const [which, facts] of Object.entries({ fresh, busy })) {
    test(`of a ${which} wrapper has HELP, TYPE, and samples with the table's labels`, () => {
      const blocks = renderMetrics(facts).split(/(?=# HELP )/);
      const names = blocks.map((block) => /^# HELP (\S+) \S.*\n# TYPE \1 /.exec(block)?.[1]);
      const shown = wrapperMetrics.filter(({ name }) => names.includes(METRIC_PREFIX + name));
      expect(names).toEqual(shown.map(({ name }) => METRIC_PREFIX + name));
      expect(shown.length).toBeGreaterThan(10);
      for (const [index, { type, labels = {} }] of shown.entries()) {
        const name = names[index];
        const [, typeLine, ...samples] = blocks[index]?.trimEnd().split("\n") ?? [];
        expect(typeLine).toBe(`# TYPE ${name} ${type}`);
        expect(name?.endsWith("_total")).toBe(type === "counter");
        expect(samples).not.toEqual([]);
        for (const sample of samples) {
          const found = new RegExp(`^${name}(?:\\{(.*)\\})? -?[0-9.]+$`).exec(sample);
          expect({ sample, isRead: found !== null }).toEqual({ sample, isRead: true });
          const given = [...(found?.[1] ?? "").matchAll(/(\w+)="/g)].map(([, label]) => label);
          expect(given.sort()).toEqual(Object.keys(labels).sort());
        }
      }
    });
  }
});
