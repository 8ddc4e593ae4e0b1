import { describe, expect, test } from "bun:test";
import type { SecretBytes } from "@svc/secret-bytes";
import type { ReadOutcome } from "@svc/vault";
import type { SecretSource } from "../settings.ts";
import { closed } from "../testdata/outcomes.ts";
import { digestOf, fileDigest, secretsState } from "./secrets-state.ts";

const key = new Uint8Array(32).fill(7);
const entry = (variable: string, value: string, path = "secret/data/app") => ({
  variable,
  value: closed(value),
  path,
});

describe("the digest", () => {
  const one = digestOf([entry("A", "1"), entry("B", "2")], key);

  test("is the same in every order", () => {
    expect(digestOf([entry("B", "2"), entry("A", "1")], key)).toBe(one);
  });

  const others: readonly (readonly [name: string, digest: string])[] = [
    ["of another value", digestOf([entry("A", "1"), entry("B", "3")], key)],
    ["of other names", digestOf([entry("A", "1"), entry("C", "2")], key)],
    ["of values that part elsewhere", digestOf([entry("A", "1B1:2")], key)],
    ["by another key", digestOf([entry("A", "1"), entry("B", "2")], new Uint8Array(32).fill(8))],
  ];
  for (const [name, digest] of others) {
    test(`is another one: ${name}`, () => expect(digest).not.toBe(one));
  }
});

describe("the state of secrets", () => {
  const sources: readonly SecretSource[] = [
    { path: "secret/data/app", mappings: [] },
    { path: "secret/data/app", mappings: [] },
    { path: "secret/data/pinned", version: 2, mappings: [] },
    { path: "kv1/data/old", mappings: [] },
    { path: "db/creds/app", engine: "dynamic", mappings: [] },
  ];
  const read = (path: string, more: object = {}): ReadOutcome => ({
    ok: true,
    ref: { path },
    secret: { path, fields: new Map(), ...more },
  });
  const kv2 = { version: 5, createdTime: "2026-01-01T00:00:00Z" };
  const lease = { id: "db/1", durationMs: 60_000, renewable: true };
  const outcomes = [
    read("secret/data/app", kv2),
    read("secret/data/app", kv2),
    read("secret/data/pinned", kv2),
    read("kv1/data/old"),
    read("db/creds/app", { lease }),
  ];
  const entries = [entry("A", "1"), entry("DB", "once", "db/creds/app")];
  const state = secretsState({ sources, outcomes, entries }, key);

  test("watches each path once, by version if there is one, and no dynamic one", () => {
    expect(state.watched).toEqual([
      { path: "secret/data/app", ...kv2, by: "metadata" },
      { path: "secret/data/pinned", ...kv2, pinned: true, by: "metadata" },
      { path: "kv1/data/old", by: "values" },
    ]);
  });

  test("watches a path by its values whose mount could be called app or app/data", () => {
    const path = "app/data/data/x";
    const resolution = { sources: [{ path, mappings: [] }], outcomes: [read(path, kv2)], entries };
    expect(secretsState(resolution, key).watched).toEqual([{ path, ...kv2, by: "values" }]);
  });

  test("watches a file by a digest of all its fields, which a key makes useless to others", () => {
    const path = "/run/db";
    const fileState = (fields: ReadonlyMap<string, SecretBytes | null>, by = key) => {
      const outcome = { ok: true, secret: { path, fields } } as const;
      const sources = [{ path, engine: "file", mappings: [] }] as const;
      return secretsState({ sources, outcomes: [outcome], entries }, by).watched;
    };
    const one = fileState(new Map([["db", closed("1")]]));
    expect(one).toEqual([{ path, by: "file", digest: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(fileState(new Map([["db", closed("1")]]))).toEqual(one);
    for (const other of [
      fileState(new Map([["db", closed("2")]])),
      fileState(new Map([["other", closed("1")]])),
      fileState(new Map([["db", closed("1")]]), new Uint8Array(32).fill(8)),
    ]) {
      expect(other).not.toEqual(one);
    }
  });

  test("watches a JSON file by its text, so that null and no member differ", () => {
    const whole = (text: string) => ({ field: "a.json", value: closed(text) });
    const digest = (text: string) =>
      fileDigest({ path: "/a.json", fields: new Map(), whole: whole(text) }, key);
    expect(digest('{"a":null}')).not.toBe(digest("{}"));
  });

  test("names the leases", () => {
    expect(state.leases).toEqual([{ ...lease, path: "db/creds/app", ttlMs: 60_000 }]);
  });

  test("leaves leased values out of the digest: they are others at each read", () => {
    expect(state.digest).toBe(digestOf([entry("A", "1")], key));
  });

  test("holds no value", () => {
    expect(JSON.stringify(state)).not.toContain("once");
  });
});
