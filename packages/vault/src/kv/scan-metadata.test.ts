import { describe, expect, test } from "bun:test";
import { clientOf, failure, json, startServer } from "../../test/test-server.ts";
import { Secret } from "../values/secret.ts";

const token = new Secret("hvs.test");
const state = { created_time: "t1", deletion_time: "", destroyed: false };
const old = { ...state, destroyed: true };

async function scanned(body: unknown, status = 200) {
  using server = startServer(() => json(body, status));
  const client = clientOf(server, { retry: { maxAttempts: 1 } });
  const outcome = await client.scanMetadata(token, "team/kv").catch((error: unknown) => error);
  return { outcome, seen: server.seen };
}

describe("scanMetadata", () => {
  test("asks for all metadata of the engine and gives each newest version", async () => {
    const { outcome, seen } = await scanned({
      data: {
        keys: ["a", "a/b c", "empty"],
        key_info: {
          a: { current_version: 2, versions: { 1: old, 2: state } },
          "a/b c": { current_version: 1, versions: { 1: { ...state, deletion_time: "t2" } } },
          empty: { current_version: 0, versions: {} },
        },
      },
    });
    const found = { createdTime: "t1", deletionTime: "", destroyed: false };
    expect(outcome).toEqual(
      new Map([
        ["a", { version: 2, state: found }],
        ["a/b c", { version: 1, state: { ...found, deletionTime: "t2" } }],
        ["empty", { version: 0, state: undefined }],
      ]),
    );
    expect(seen.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "GET /v1/team/kv/detailed-metadata/?scan=true",
    ]);
  });

  test("an engine without secrets has no metadata", async () => {
    expect((await scanned({ data: {} })).outcome).toEqual(new Map());
  });

  test.each([
    ["no object", []],
    ["no data", {}],
    ["a list in place of the secrets", { data: { key_info: [] } }],
    ["a secret without a version", { data: { key_info: { a: { versions: {} } } } }],
    ["a version that is a text", { data: { key_info: { a: { current_version: "1" } } } }],
  ])("refuses an answer with %s", async (_, body) => {
    expect((await scanned(body)).outcome).toMatchObject({ code: "BAD_RESPONSE" });
  });

  test.each([
    [403, "DENIED"],
    [404, "NOT_FOUND"],
  ])("status %p is %s", async (status, code) => {
    const { outcome } = await scanned({ errors: [] }, status);
    expect(outcome).toMatchObject({ code, status });
  });

  test("a mount that is not a path is refused before it is asked for", async () => {
    using server = startServer(() => json({ data: {} }));
    const error = await failure(clientOf(server).scanMetadata(token, "a/../b"));
    expect([error.code, server.seen.length]).toEqual(["INVALID_INPUT", 0]);
  });
});
