import { describe, expect, test } from "bun:test";
import { clientOf, failure, json, startServer } from "../../test/test-server.ts";
import { Secret } from "../values/secret.ts";

const token = new Secret("hvs.test");
const renewed = { lease_duration: 60, renewable: true };

describe("token operations", () => {
  test("lookupSelf gives life time and policies, and no identifier", async () => {
    using server = startServer(() =>
      json({ data: { id: "hvs.test", accessor: "x", ttl: 59, renewable: true, policies: ["a"] } }),
    );
    expect(await clientOf(server).lookupSelf(token)).toEqual({
      ttlMs: 59_000,
      renewable: true,
      policies: ["a"],
      isBatch: false,
    });
    expect(server.seen[0]?.target).toBe("/v1/auth/token/lookup-self");
  });

  test.each([
    [undefined, {}],
    [60_000, { increment: 60 }],
    [1, { increment: 1 }],
  ])("renewSelf for %p ms sends %j", async (incrementMs, body) => {
    using server = startServer(() => json({ auth: renewed }));
    const renewal = await clientOf(server).renewSelf(token, incrementMs);
    expect(renewal).toEqual({ ttlMs: 60_000, renewable: true });
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual(body);
  });

  test("renewSelf says that a token is not renewable", async () => {
    using server = startServer(() => json({ errors: ["lease is not renewable"] }, 400));
    const error = await failure(clientOf(server).renewSelf(token));
    expect(error.code).toBe("BAD_REQUEST");
    expect(error.hint).toContain("not be renewable");
  });

  test("revokeSelf ends the token", async () => {
    using server = startServer(() => new Response(null, { status: 204 }));
    expect(await clientOf(server).revokeSelf(token)).toBeUndefined();
    expect(server.seen[0]?.method).toBe("POST");
    expect(server.seen[0]?.target).toBe("/v1/auth/token/revoke-self");
  });

  test("revokeSelf reports a token that is unknown", async () => {
    using server = startServer(() => json({ errors: ["permission denied"] }, 403));
    expect((await failure(clientOf(server).revokeSelf(token))).code).toBe("DENIED");
  });

  test("renewLease names the lease", async () => {
    using server = startServer(() => json({ lease_id: "l/1", ...renewed }));
    const renewal = await clientOf(server).renewLease(token, "l/1", 30_000);
    expect(renewal).toEqual({ ttlMs: 60_000, renewable: true });
    expect(server.seen[0]?.method).toBe("PUT");
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({ lease_id: "l/1", increment: 30 });
  });

  test("renewLease reports a lease that has ended", async () => {
    using server = startServer(() => json({ errors: ["lease not found"] }, 400));
    expect((await failure(clientOf(server).renewLease(token, "l/1"))).code).toBe("NOT_FOUND");
  });
});
