import { describe, expect, test } from "bun:test";
import { failure } from "../errors.ts";
import { secretNames } from "../health/secret-names.ts";
import { noCounts } from "../health/wrapper-facts.ts";
import { least, settingsOf } from "../settings/testdata/least-environment.ts";
import { newLife } from "./advance-life.ts";
import { checkStateOf } from "./check-state.ts";
import { learn } from "./knowledge.ts";
import type { Life } from "./life.ts";
import {
  type FactsContext,
  factsOf,
  MAX_SECRETS_SHOWN,
  readinessLastsMs,
  readinessOf,
  shownAgent,
  unservingOf,
} from "./status.ts";
import { begin, lease, Story, secrets, running as story } from "./testdata/story.ts";

const sources = [{ path: "secret/data/app" }];
const context: FactsContext = {
  version: "1.2.3",
  startedAtMs: 1_000_000,
  wallMs: 2_000_000,
  nowMs: 100_000,
  checks: true,
  hasHints: false,
  staleAfterMs: 50_000,
  names: secretNames({ secrets: { sources }, showPaths: true }),
  protection: undefined,
  token: undefined,
};
const running: Life = {
  ...newLife,
  applicationRuns: true,
  phase: { kind: "running" },
  knowledge: learn(secrets, { nowMs: 60_000, random: 0.5 }),
};
const sealed: Life = { ...running, phase: { kind: "running", sealed: true } };
const leased: Life = {
  ...running,
  knowledge: learn({ ...secrets, leases: [lease] }, { nowMs: 60_000, random: 0.5 }),
};
const waiting = "POST /v1/unseal has to bring a token";

describe("readiness", () => {
  const rows: readonly (readonly [
    name: string,
    life: Life,
    change: Partial<FactsContext>,
    readiness: Readonly<Record<string, unknown>>,
  ])[] = [
    [
      "before the program runs says why",
      newLife,
      {},
      { status: "starting", reason: "the wrapper starts" },
    ],
    [
      "of a program that runs",
      running,
      {},
      { status: "ready", rotations: 0, applicationRestarts: 0 },
    ],
    [
      "counts rotations and restarts",
      {
        ...running,
        counts: {
          ...noCounts,
          rotations: {
            restart: { completed: 3, failed: 5 },
            sighup: { completed: 4, failed: 6 },
          },
          applicationRestarts: { rotation: 10, crash: 20 },
        },
      },
      {},
      { status: "ready", rotations: 7, applicationRestarts: 30 },
    ],
    [
      "has the protection score once it was measured",
      running,
      { protection: { score: 85, items: [] } },
      { status: "ready", rotations: 0, applicationRestarts: 0, protectionScore: 85 },
    ],
    [
      "lasts while the secrets were checked lately enough",
      running,
      { nowMs: 109_999 },
      { status: "ready", rotations: 0, applicationRestarts: 0 },
    ],
    [
      "ends when they were not",
      running,
      { nowMs: 110_000 },
      { status: "stale", reason: "the secrets could not be checked for 50 s" },
    ],
    [
      "does not end so if nothing is checked",
      running,
      { nowMs: 110_000, checks: false },
      { status: "ready", rotations: 0, applicationRestarts: 0 },
    ],
    [
      "does not end so if nothing is known",
      { ...newLife, phase: { kind: "running" } },
      { nowMs: 110_000 },
      { status: "ready", rotations: 0, applicationRestarts: 0 },
    ],
    [
      "lasts until a lease expires",
      leased,
      { nowMs: 119_999, staleAfterMs: 100_000 },
      { status: "ready", rotations: 0, applicationRestarts: 0 },
    ],
    [
      "ends with a lease",
      leased,
      { nowMs: 120_000, staleAfterMs: 100_000 },
      { status: "stale", reason: "the lease of a secret has expired" },
    ],
    [
      "says that the token has died",
      sealed,
      {},
      { status: "ready", sealed: true, rotations: 0, applicationRestarts: 0 },
    ],
    [
      "asks for a token once the secrets are stale",
      sealed,
      { nowMs: 110_000 },
      { status: "sealed", reason: `${waiting}: the secrets could not be checked for 50 s` },
    ],
  ];
  for (const [name, life, change, readiness] of rows) {
    test(name, () => {
      expect(readinessOf(life, { ...context, ...change })).toEqual(readiness as never);
    });
  }
});

describe("without an event, readiness lasts", () => {
  const rows: readonly (readonly [string, Life, Partial<FactsContext>, number | undefined])[] = [
    ["until the secrets are stale", running, {}, 10_000],
    ["as long in sealed mode", sealed, {}, 10_000],
    ["until a lease expires", leased, { staleAfterMs: 100_000 }, 20_000],
    ["for ever if nothing is checked", running, { checks: false }, undefined],
    ["for ever if nothing is known", { ...newLife, phase: { kind: "running" } }, {}, undefined],
    ["for ever once it has ended", running, { nowMs: 110_000 }, undefined],
    ["for ever before the program runs", newLife, {}, undefined],
  ];
  for (const [name, life, change, expected] of rows) {
    test(name, () => {
      const asked = { ...context, ...change };
      expect(readinessLastsMs(life, asked)).toBe(expected);
      if (expected === undefined) return;
      const after = (ms: number) => readinessOf(life, { ...asked, nowMs: asked.nowMs + ms }).status;
      expect(after(expected - 1)).toBe("ready");
      expect(after(expected)).not.toBe("ready");
    });
  }
});

describe("the facts for Prometheus", () => {
  const facts = (life: Life, change: Partial<FactsContext> = {}) =>
    factsOf(life, { ...context, ...change });
  const token = { ttlMs: 60_000, renewable: true, own: true, fullTtlMs: 60_000, renewAtMs: 0 };

  test("of a wrapper that has just started", () => {
    expect(facts(newLife)).toEqual({
      ...noCounts,
      ...{ version: "1.2.3", startedAtMs: 1_000_000, nowMs: 2_000_000 },
      ...{ status: "starting", sealed: false, rotationWaits: false, leases: [], secrets: [] },
      applicationRunning: false,
    });
  });

  test("of a program that runs, by the wall clock", () => {
    expect(facts(leased)).toMatchObject({
      ...{ status: "ready", sealed: false, applicationRunning: true },
      leases: [{ path: "db/creds/app", expiresAtMs: 2_020_000 }],
      secretsCheckedAtMs: 1_960_000,
    });
  });

  test("have no check if none is made", () => {
    expect(facts(running, { checks: false })).not.toHaveProperty("secretsCheckedAtMs");
  });

  test("have the token's end, if it has one", () => {
    const expires = (expiresAtMs: number) => facts(running, { token: { ...token, expiresAtMs } });
    expect(expires(130_000).tokenExpiresAtMs).toBe(2_030_000);
    expect(expires(Number.POSITIVE_INFINITY)).not.toHaveProperty("tokenExpiresAtMs");
  });

  test("have the protection once it was measured", () => {
    const protection = { score: 85, items: [] };
    expect(facts(running, { protection }).protection).toEqual(protection);
  });

  test("say that a token is waited for, with a program and without", () => {
    const without: Life = { ...newLife, phase: { kind: "sealed", reason: waiting } };
    expect([facts(sealed).sealed, facts(without).sealed]).toEqual([true, true]);
  });
});

describe("the kernel agent, as /readyz and /v1/check show it,", () => {
  const rows = [
    ["is absent if none is asked for", undefined, {}],
    [
      "is connected, and the tier is the metrics'",
      { connected: true, tier: "enforce" },
      { agent: { connected: true } },
    ],
    [
      "is away, with the reason",
      { connected: false, reason: "connect: ENOENT" },
      { agent: { connected: false, reason: "connect: ENOENT" } },
    ],
  ] as const;
  for (const [name, agent, shown] of rows) {
    test(name, () => {
      const life = { ...running, counts: { ...running.counts, ...(agent && { agent }) } };
      expect(readinessOf(life, context)).toMatchObject({ status: "ready", ...shown });
      expect(shownAgent(life)).toEqual(shown);
    });
  }
});

describe("the versions of secrets", () => {
  const sinceMs = Date.parse("2026-11-28T10:00:00Z");
  const versioned: Life = {
    ...running,
    versions: [{ path: "secret/data/app", version: 3, createdTime: "x", sinceMs }],
  };
  const since = "2026-11-28T10:00:00.000Z";
  const rotating = (change: object) => {
    const { life } = story(settingsOf(least));
    const { stage } = life;
    if (stage.kind !== "running") throw new TypeError("it does not run");
    const activity = { kind: "rotating", ...change } as const;
    return { ...versioned, stage: { ...stage, activity } };
  };
  const drains = { kind: "draining", reason: "it is replaced" } as const;
  const shown = { path: "secret/data/app", version: 3 };
  const rows: readonly (readonly [string, Life, readonly object[]])[] = [
    ["of a program that runs", versioned, [shown]],
    ["of one that drains", { ...versioned, phase: drains }, [shown]],
    ["while the next one is fetched", rotating({}), [shown]],
    [
      "are gone once the program has ended for the next one",
      rotating({ ending: { exitCode: 0 } }),
      [],
    ],
    ["are gone once the program has ended", { ...versioned, applicationRuns: false }, []],
    ["are not there before one runs", newLife, []],
  ];
  for (const [name, life, versions] of rows) {
    test(name, () => {
      const { secrets: told = [] } = readinessOf(life, context);
      expect(told).toEqual(versions.map((one) => ({ ...one, since })) as never);
      const facts = factsOf(life, context).secrets;
      expect(facts).toEqual(versions.map((one) => ({ ...one, sinceMs })) as never);
    });
  }

  test("of a program whose values are stale", () => {
    expect(readinessOf(versioned, { ...context, nowMs: 110_000 })).toEqual({
      status: "stale",
      reason: "the secrets could not be checked for 50 s",
      secrets: [{ ...shown, since }],
    });
  });

  test("and leases name no path if none is to be shown", () => {
    const named = [...sources, { path: lease.path, engine: "dynamic" as const }];
    const names = secretNames({ secrets: { sources: named }, showPaths: false });
    const hidden = { ...context, names };
    const life = { ...leased, versions: versioned.versions };
    expect(readinessOf(life, hidden).secrets).toEqual([{ path: "1", version: 3, since }]);
    const { secrets: told, leases } = factsOf(life, hidden);
    expect([...told, ...leases].map(({ path }) => path)).toEqual(["1", "2"]);
  });

  test("are of the first secrets only if there are very many", () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...{ path: `secret/data/${index}`, version: 1, sinceMs },
    }));
    const life = { ...versioned, versions: many };
    expect(readinessOf(life, context).secrets).toHaveLength(MAX_SECRETS_SHOWN);
    expect(factsOf(life, context).secrets).toHaveLength(MAX_SECRETS_SHOWN);
  });
});

describe("a wrapper whose vault is asked again", () => {
  const message = "login at auth/kubernetes/login: connect: refused (UNREACHABLE)";
  const delayed = (change: Readonly<Record<string, string>> = {}) => {
    const settings = settingsOf({ ...least, ...change });
    const told = new Story(settings);
    told.tell(begin);
    told.tell({
      kind: "observed",
      observation: { kind: "delay", failure: failure("VAULT_FAILED", message) },
    });
    return told.life;
  };

  test("says why, with a code, at /readyz, in a metric and to systemd", () => {
    const life = delayed();
    const reason = `the secrets are being fetched: ${message}`;
    const words = { reason, code: "VAULT_FAILED" };
    expect(readinessOf(life, context)).toEqual({ status: "starting", ...words });
    expect(checkStateOf(life, settingsOf(least))).toEqual({ state: "waiting", ...words });
    expect(factsOf(life, context).trouble).toBe("VAULT_FAILED");
    expect(unservingOf(life)).toEqual({ status: "starting", ...words });
  });

  test("says only the code with SVC_SHOW_PATHS=false", () => {
    expect(readinessOf(delayed({ SVC_SHOW_PATHS: "false" }), context)).toMatchObject({
      reason: "the secrets are being fetched: VAULT_FAILED, see the log",
    });
  });

  test("says it no more once it is asked to end", () => {
    const told = new Story(settingsOf(least));
    told.tellAll(begin, { kind: "signal", signal: 15 });
    const { phase } = told.life;
    const late = failure("VAULT_FAILED", message);
    const effects = told.tell({ kind: "observed", observation: { kind: "delay", failure: late } });
    expect(effects).toEqual([]);
    expect(told.life.phase).toBe(phase);
  });

  test("says it no more once the program runs", () => {
    const told = story(settingsOf(least));
    const late = failure("VAULT_FAILED", message);
    told.tell({ kind: "observed", observation: { kind: "delay", failure: late } });
    expect(told.life.phase).toEqual({ kind: "running" });
    expect(factsOf(told.life, context).trouble).toBeUndefined();
  });
});
