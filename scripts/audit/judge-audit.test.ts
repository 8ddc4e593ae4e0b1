import { describe, expect, test } from "bun:test";
import { type AuditFinding, type AuditRun, judgeBunAudit, judgeCargoDeny } from "./judge-audit.ts";

const run = (change: Partial<AuditRun>): AuditRun => ({
  ...{ exitCode: 0, stdout: "", stderr: "" },
  ...change,
});

type Row = readonly [name: string, run: AuditRun, finding: AuditFinding];

describe("bun audit", () => {
  const rows: readonly Row[] = [
    ["without advisories is clean", run({ stdout: "{}\n" }), { kind: "clean" }],
    [
      "with advisories names the packages",
      run({ exitCode: 1, stdout: '{"b":[{"id":1}],"a":[{"id":2}]}' }),
      { kind: "vulnerable", names: ["a", "b"] },
    ],
    [
      "that cannot reach the database knows nothing",
      run({ exitCode: 1, stderr: "bun audit\n\nerror: POST … - 405\n" }),
      { kind: "unknown", reason: "error: POST … - 405" },
    ],
    ["that says nothing knows nothing", run({}), { kind: "unknown", reason: "it said nothing" }],
    ["with a list knows nothing", run({ stdout: "[]" }), { kind: "unknown", reason: "[]" }],
  ];
  for (const [name, ended, finding] of rows) {
    test(name, () => expect(judgeBunAudit(ended)).toEqual(finding));
  }
});

describe("cargo deny", () => {
  const rows: readonly Row[] = [
    ["without advisories is clean", run({ stderr: "advisories ok" }), { kind: "clean" }],
    [
      "with an advisory names it",
      run({ exitCode: 1, stderr: "error[vulnerability]: x\n  = ID: RUSTSEC-2026-0001\n" }),
      { kind: "vulnerable", names: ["RUSTSEC-2026-0001"] },
    ],
    [
      "without its database knows nothing",
      run({ exitCode: 1, stderr: "error: failed to fetch advisory database\n" }),
      { kind: "unknown", reason: "error: failed to fetch advisory database" },
    ],
  ];
  for (const [name, ended, finding] of rows) {
    test(name, () => expect(judgeCargoDeny(ended)).toEqual(finding));
  }
});
