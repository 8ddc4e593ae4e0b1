import { describe, expect, test } from "bun:test";
import type { VersionState } from "@svc/vault";
import { judgeVersion } from "./judge-version.ts";

const now = Date.parse("2026-06-01T12:00:00Z");
const state = (createdTime: string, more: Partial<VersionState> = {}): VersionState => ({
  createdTime,
  deletionTime: "",
  destroyed: false,
  ...more,
});
const first = state("2026-01-01T00:00:00.123456789Z");
const second = state("2026-02-01T00:00:00.123456789Z");
const newest = { path: "kv/data/app", version: 2, createdTime: second.createdTime } as const;
const pinned = { ...newest, version: 1, createdTime: first.createdTime, pinned: true } as const;
const deletedAt = (deletionTime: string) => ({ deletionTime });

type Row = readonly [
  what: string,
  versions: readonly (readonly [number, VersionState])[],
  suspicious: boolean,
];

const ofNewest: readonly Row[] = [
  ["the same version", [[2, second]], false],
  [
    "a newer version",
    [
      [2, second],
      [3, state("2026-03-01T00:00:00Z")],
    ],
    true,
  ],
  ["the same number, written again", [[2, state("2026-05-01T00:00:00Z")]], true],
  ["a secret without versions", [], true],
  ["a destroyed version", [[2, { ...second, destroyed: true }]], true],
  ["a deleted version", [[2, { ...second, ...deletedAt("2026-06-01T11:59:59.9Z") }]], true],
  ["one that is deleted now", [[2, { ...second, ...deletedAt("2026-06-01T12:00:00Z") }]], true],
  ["one that ends later", [[2, { ...second, ...deletedAt("2026-06-01T12:00:00.5Z") }]], false],
  [
    "one that ends in another zone",
    [[2, { ...second, ...deletedAt("2026-06-01T13:00:00+02:00") }]],
    true,
  ],
  ["one with a malformed time", [[2, { ...second, ...deletedAt("soon") }]], true],
  [
    "an older version that is deleted",
    [
      [1, { ...first, destroyed: true }],
      [2, second],
    ],
    false,
  ],
];
const ofPinned: readonly Row[] = [
  [
    "the same version",
    [
      [1, first],
      [2, second],
    ],
    false,
  ],
  [
    "a newer version",
    [
      [1, first],
      [2, second],
      [3, second],
    ],
    false,
  ],
  [
    "a destroyed version",
    [
      [1, { ...first, destroyed: true }],
      [2, second],
    ],
    true,
  ],
  [
    "a deleted version",
    [
      [1, { ...first, ...deletedAt("2026-03-01T00:00:00Z") }],
      [2, second],
    ],
    true,
  ],
  [
    "one that ends later",
    [
      [1, { ...first, ...deletedAt("2027-03-01T00:00:00Z") }],
      [2, second],
    ],
    false,
  ],
  ["one that max_versions has removed", [[2, second]], true],
  ["the same number, written again", [[1, second]], true],
  [
    "a newest version that is destroyed",
    [
      [1, first],
      [2, { ...second, destroyed: true }],
    ],
    false,
  ],
];

for (const [name, known, rows] of [
  ["the newest version", newest, ofNewest],
  ["a pinned version", pinned, ofPinned],
] as const) {
  describe(`a program with ${name}`, () => {
    for (const [what, versions, suspicious] of rows) {
      test(`${suspicious ? "reads" : "does not read"} the values for ${what}`, () => {
        const currentVersion = Math.max(0, ...versions.map(([number]) => number));
        const metadata = { currentVersion, versions: new Map(versions) };
        const path = { ...known, by: "metadata" } as const;
        expect(judgeVersion(path, metadata, now)).toEqual({ path, suspicious, older: false });
      });
    }
  });
}
