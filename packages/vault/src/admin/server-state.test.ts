import { describe, expect, test } from "bun:test";
import { clientOf, failure, json, startServer } from "../../test/test-server.ts";

const status = { initialized: true, sealed: true, t: 3, n: 5, progress: 1, version: "2.7.2" };

describe("health", () => {
  test.each([
    [200, "active"],
    [429, "standby"],
    [472, "dr-secondary"],
    [473, "performance-standby"],
    [501, "not-initialized"],
    [503, "sealed"],
  ] as const)("%d is %s", async (code, state) => {
    using server = startServer(() => json({ initialized: true, sealed: false }, code));
    expect(await clientOf(server, { namespace: "team" }).health()).toBe(state);
    expect(server.seen[0]?.headers.has("x-vault-namespace")).toBe(false);
  });

  test.each([200, 503])("%d of something else is not a state", async (code) => {
    using server = startServer(() => new Response("<html>", { status: code }));
    expect((await failure(clientOf(server).health())).code).toBe("BAD_RESPONSE");
  });

  test("asks only once", async () => {
    using server = startServer(() => json({ errors: [] }, 500));
    await failure(clientOf(server, { retry: {} }).health());
    expect(server.seen.length).toBe(1);
  });
});

describe("sealStatus", () => {
  test("gives the progress of unsealing", async () => {
    using server = startServer(() => json(status));
    expect(await clientOf(server).sealStatus()).toEqual({
      initialized: true,
      sealed: true,
      threshold: 3,
      progress: 1,
      version: "2.7.2",
    });
  });
});
