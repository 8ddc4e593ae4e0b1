import { expect, test } from "bun:test";
import type { FoundPods } from "./found-pods.ts";
import { attemptsOnPrograms, type Policy } from "./policy.ts";
import { stateOf } from "./policy-state.ts";
import type { FoundExecutable } from "./read-executable.ts";

const sha256 = "ab".repeat(32);
const base: Policy = {
  ...{ name: "backup", reason: "nightly", mode: "allow", attempts: attemptsOnPrograms },
  ...{ executables: [], units: [], pods: [], users: [1000], groups: [] },
};
const gdb: Policy = { ...base, executables: [{ path: "/usr/bin/gdb", sha256 }] };
const facts = { inode: 1n, device: 2, size: 3n, changedNs: 4n };
const found = (file: FoundExecutable) => new Map([["/usr/bin/gdb", file]]);

const backup: Policy = {
  ...base,
  users: [],
  pods: [
    { namespace: "backup", matchLabels: { app: "agent" } },
    { namespace: "backup", matchLabels: {} },
    { namespace: "away", matchLabels: {} },
  ],
};
const pod = (uid: string, labels: Readonly<Record<string, string>>) => ({ uid, labels });
const pods: FoundPods = new Map([
  ["backup", { kind: "pods", pods: [pod("1", { app: "agent" }), pod("2", {})] }],
  ["away", { kind: "unknown", reason: "they are not listed yet" }],
]);

const rows: readonly (readonly [string, Policy, object, object])[] = [
  ["one that is in force", base, {}, {}],
  ["its end", { ...base, expiresMs: 2000 }, {}, { expires: "1970-01-01T00:00:02.000Z" }],
  [
    "one that has ended",
    { ...base, expiresMs: 1000 },
    {},
    { expires: "1970-01-01T00:00:01.000Z", state: "expired" },
  ],
  ["one that holds nowhere", base, { seesMachine: false }, { state: "nowhere" }],
  [
    "one of a unit, which holds anywhere",
    { ...base, users: [], units: ["a.service"] },
    { seesMachine: false },
    {},
  ],
  ["an executable", gdb, { files: found({ kind: "file", facts: { ...facts, sha256 } }) }, {}],
  [
    "an executable of another digest",
    gdb,
    { files: found({ kind: "file", facts: { ...facts, sha256: "cd".repeat(32) } }) },
    { unusable: [`/usr/bin/gdb: wanted sha256 ${sha256}, found ${"cd".repeat(32)}`] },
  ],
  [
    "an executable without a digest",
    gdb,
    { files: found({ kind: "unusable", reason: "it changes" }) },
    { unusable: ["/usr/bin/gdb: it changes"] },
  ],
  [
    "an executable that was not looked at",
    gdb,
    {},
    { unusable: ["/usr/bin/gdb: it was not looked at"] },
  ],
  [
    "pods, each of which counts once",
    backup,
    { pods, seesMachine: false },
    { pods: 2, unusable: ["pods of namespace away: they are not listed yet"] },
  ],
  [
    "pods whose folders are elsewhere",
    backup,
    { pods, objectionToFolders: "no folder" },
    {
      pods: 2,
      unusable: ["pods of namespace away: they are not listed yet", "pods: no folder"],
    },
  ],
  ["no pod, whose folder may be elsewhere", base, { objectionToFolders: "no folder" }, {}],
];
for (const [name, policy, context, wanted] of rows) {
  test(`stateOf reports ${name}`, () => {
    const state = stateOf(policy, {
      ...{ files: new Map(), pods: new Map(), nowMs: 1000, seesMachine: true },
      ...context,
    });
    expect(state).toEqual({
      ...{ name: "backup", reason: "nightly", mode: "allow", state: "in force" },
      ...wanted,
    });
  });
}
