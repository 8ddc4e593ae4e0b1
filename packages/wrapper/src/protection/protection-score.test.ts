import { describe, expect, test } from "bun:test";
import type { EnforcementTier } from "../agent/agent-messages.ts";
import { protections } from "../health/wrapper-facts.ts";
import type { ProtectionFacts } from "./protection-facts.ts";
import { protectionItems } from "./protection-items.ts";
import { describeMissing, missingOf, scoreOf } from "./protection-score.ts";

const enforcing = { kind: "connected", tier: "enforce", registered: true } as const;
const best: ProtectionFacts = {
  delivery: "inject",
  values: { kind: "region", memory: "memfd_secret", locked: true, dumped: false },
  courierLocked: true,
  environ: { kind: "clean" },
  dumpable: { kind: "no" },
  token: { kind: "protected" },
  agent: enforcing,
  cpu: { kind: "mitigated" },
};
const unmeasured = { kind: "unmeasured", reason: "EACCES" } as const;
const plain = { kind: "region", memory: "memfd", locked: true, dumped: false } as const;

type Row = readonly [
  name: string,
  facts: Partial<ProtectionFacts>,
  score: number,
  missing: Readonly<Record<string, string>>,
];

const rows: readonly Row[] = [
  ["everything", {}, 100, {}],
  ["the library", { delivery: "library" }, 100, {}],
  [
    "a library that has not opened its region",
    { delivery: "library", values: { kind: "descriptor", memory: "memfd_secret" } },
    100,
    {},
  ],
  [
    "such a library on a kernel without memfd_secret",
    { delivery: "library", values: { kind: "descriptor", memory: "memfd" } },
    70,
    {
      memfd_secret: "locked ordinary memory",
      mlock: "the program has not mapped its region yet, nor locked it",
      core_dumps: "the program has not mapped its region",
    },
  ],
  ["preload", { delivery: "preload" }, 95, { delivery: "preload" }],
  ["no memfd_secret", { values: plain }, 85, { memfd_secret: "locked ordinary memory" }],
  [
    "ordinary memory that is neither locked nor left out of dumps",
    { values: { ...plain, locked: false, dumped: true } },
    70,
    {
      memfd_secret: "locked ordinary memory",
      mlock: "the program's region is not locked",
      core_dumps: "they are dumped",
    },
  ],
  [
    "a courier that could not lock its memory",
    { courierLocked: false },
    90,
    { mlock: "the courier could not lock its memory" },
  ],
  [
    "env",
    {
      delivery: "env",
      values: { kind: "stack", dumped: true },
      environ: { kind: "values", variables: 2 },
    },
    45,
    {
      memfd_secret: "the values are on the program's stack",
      mlock: "the program's stack can be swapped",
      core_dumps: "the stack is dumped",
      environ: "variables with values: 2",
      delivery: "env",
    },
  ],
  [
    "env without dumps",
    {
      delivery: "env",
      values: { kind: "stack", dumped: false },
      environ: { kind: "values", variables: 1 },
    },
    50,
    {
      memfd_secret: "the values are on the program's stack",
      mlock: "the program's stack can be swapped",
      environ: "variables with values: 1",
      delivery: "env",
    },
  ],
  [
    "a region that could not be looked at",
    { values: unmeasured },
    70,
    {
      memfd_secret: "not measured: EACCES",
      mlock: "not measured: EACCES",
      core_dumps: "not measured: EACCES",
    },
  ],
  ["a dumpable program", { dumpable: { kind: "yes" } }, 95, { dumpable: "it is dumpable" }],
  ["a program as root", { dumpable: unmeasured }, 95, { dumpable: "not measured: EACCES" }],
  ["no token", { token: { kind: "none" } }, 100, {}],
  [
    "a token in a file",
    { token: { kind: "exposed", where: "it is in a file" } },
    90,
    { token: "it is in a file" },
  ],
  [
    "programs behind a launcher with values",
    { environ: { kind: "started programs", programs: 3 } },
    90,
    { environ: "programs that it has started with values: 3" },
  ],
  [
    "an environment that could not be looked at",
    { environ: unmeasured },
    90,
    { environ: "not measured: EACCES" },
  ],
  [
    "no agent",
    { agent: { kind: "not asked for" } },
    75,
    { agent: "no agent is asked for", enforcement: "no agent is asked for" },
  ],
  [
    "an agent that is away",
    { agent: { kind: "away" } },
    75,
    { agent: "it is not there", enforcement: "it is not there" },
  ],
  [
    "an agent that refuses the program",
    { agent: { ...enforcing, registered: false } },
    75,
    {
      agent: "it has not registered the program",
      enforcement: "it has not registered the program",
    },
  ],
  ...Object.entries({
    none: "tier none: attempts are not seen",
    tracing: "tier tracing: attempts are reported",
    detect: "tier detect: attempts are reported",
    kill: "tier kill: the agent kills the actor, which may be too late",
    unknown: "tier unknown",
  } as const).map(
    ([tier, enforcement]): Row => [
      `an agent of tier ${tier}`,
      // One of the keys.
      { agent: { ...enforcing, tier: tier as EnforcementTier } },
      85,
      { enforcement },
    ],
  ),
  [
    "a processor with open attacks",
    { cpu: { kind: "vulnerable", names: ["mds", "tsa"] } },
    95,
    { cpu: "open: mds, tsa" },
  ],
  ["a processor that is not known", { cpu: unmeasured }, 95, { cpu: "not measured: EACCES" }],
];

describe("scoreOf", () => {
  for (const [name, facts, score, missing] of rows) {
    test(`gives ${score} to ${name}`, () => {
      const result = scoreOf({ ...best, ...facts });
      const found = missingOf(result).map((item) => [item.protection, item.found]);
      expect(Object.fromEntries(found)).toEqual(missing);
      expect(result.score).toBe(score);
    });
  }

  test("gives 0 if nothing holds", () => {
    const nothing: ProtectionFacts = {
      delivery: "env",
      values: { kind: "stack", dumped: true },
      courierLocked: false,
      environ: { kind: "values", variables: 1 },
      dumpable: { kind: "yes" },
      token: { kind: "exposed", where: "it is in a file" },
      agent: { kind: "away" },
      cpu: unmeasured,
    };
    expect(scoreOf(nothing).score).toBe(0);
  });
});

test("protections are 100 together, and each has one place in the table", () => {
  expect(protectionItems.reduce((sum, { most }) => sum + most, 0)).toBe(100);
  expect(protectionItems.map(({ protection }) => protection)).toEqual([...protections]);
});

describe("describeMissing", () => {
  test("says nothing if nothing is missing", () => {
    expect(describeMissing(scoreOf(best))).toBe("");
  });

  test("gives the finding and a hint for each", () => {
    const score = scoreOf({ ...best, courierLocked: false, dumpable: { kind: "yes" } });
    expect(describeMissing(score)).toBe(
      "mlock: the courier could not lock its memory (give the container CAP_IPC_LOCK, or raise RLIMIT_MEMLOCK); " +
        "dumpable: it is dumpable (run the program as another user than root, and let it call prctl(PR_SET_DUMPABLE, 0))",
    );
  });
});
