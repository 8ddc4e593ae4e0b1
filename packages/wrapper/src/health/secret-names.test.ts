import { describe, expect, test } from "bun:test";
import type { KvPath } from "@svc/settings";
import { secretNames } from "./secret-names.ts";

const long = `secret/data/${"x".repeat(300)}`;
const sources: readonly KvPath[] = [
  { path: "secret/data/app" },
  { path: "secret/data/app", version: 3 },
  { path: "database/creds/app", engine: "dynamic" },
  { path: "secret/data/a#3" },
  { path: long },
];

describe("the name of a secret", () => {
  const rows: readonly (readonly [secret: KvPath, name: string, withoutPaths: string])[] = [
    [{ path: "secret/data/app" }, "secret/data/app", "1"],
    [{ path: "secret/data/app", version: 3 }, "secret/data/app#3", "2"],
    [{ path: "database/creds/app" }, "database/creds/app", "3"],
    [{ path: "secret/data/a#3" }, "secret/data/a%233", "4"],
    [{ path: long }, "5", "5"],
  ];
  for (const [secret, name, withoutPaths] of rows) {
    test(`is ${name}, or ${withoutPaths} without paths`, () => {
      const named = (showPaths: boolean) =>
        secretNames({ secrets: { sources }, showPaths })(secret);
      expect([named(true), named(false)]).toEqual([name, withoutPaths]);
    });
  }
});
