import { describe, expect, test } from "bun:test";
import type { WatchedPath } from "../messages/courier-job.ts";
import { heldVersions } from "./held-versions.ts";

const app: WatchedPath = {
  ...{ path: "secret/data/app", version: 3, createdTime: "2026-11-28T10:00:00Z" },
  by: "metadata",
};
const held = { path: app.path, version: 3, createdTime: "2026-11-28T10:00:00Z" };

describe("a program that was there for 100 ms, or gets these secrets at 500 ms", () => {
  const rows: readonly (readonly [
    name: string,
    watched: readonly WatchedPath[],
    versions: readonly object[],
  ])[] = [
    ["keeps the time of the same version", [app], [{ ...held, sinceMs: 100 }]],
    [
      "has another version since now",
      [{ ...app, version: 4 }],
      [{ ...held, version: 4, sinceMs: 500 }],
    ],
    [
      "has an older version since now",
      [{ ...app, version: 2 }],
      [{ ...held, version: 2, sinceMs: 500 }],
    ],
    [
      "has the same number since now if another secret was written under the path",
      [{ ...app, createdTime: "2026-11-28T11:00:00Z" }],
      [{ ...held, createdTime: "2026-11-28T11:00:00Z", sinceMs: 500 }],
    ],
    [
      "tells a pinned version from the newest",
      [app, { ...app, pinned: true }],
      [
        { ...held, sinceMs: 100 },
        { ...held, pinned: true, sinceMs: 500 },
      ],
    ],
    ["has no version of an engine without versions", [{ path: "kv/app", by: "values" }], []],
    ["has none of a secret that it does not read any more", [], []],
  ];
  for (const [name, watched, versions] of rows) {
    test(name, () => {
      expect(heldVersions([{ ...held, sinceMs: 100 }], watched, 500)).toEqual(versions as never);
    });
  }
});
