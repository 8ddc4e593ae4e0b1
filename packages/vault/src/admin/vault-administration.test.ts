import { describe, expect, test } from "bun:test";
import { adminOf, failure, json, startServer } from "../../test/test-server.ts";
import { Secret } from "../values/secret.ts";

const token = new Secret("hvs.test");
const share = new Secret("c2hhcmU=");
const sealed = { initialized: true, sealed: true, t: 3, n: 5, progress: 1, type: "shamir" };
const patient = { retry: { maxAttempts: 3, baseDelayMs: 1 } };

describe("initialise", () => {
  const wanted = { shares: 5, threshold: 3 };
  const answer = { keys_base64: ["YQ==", "Yg=="], root_token: "hvs.root" };

  test("sends shares and threshold, and no PGP key unless one is given", async () => {
    using server = startServer(() => json(answer));
    await adminOf(server, { namespace: "team" }).initialise(wanted);
    const [seen] = server.seen;
    expect([seen?.method, seen?.target]).toEqual(["PUT", "/v1/sys/init"]);
    expect(JSON.parse(seen?.body ?? "")).toEqual({ secret_shares: 5, secret_threshold: 3 });
    expect(seen?.headers.has("x-vault-namespace")).toBe(false);
  });

  test("sends PGP keys", async () => {
    using server = startServer(() => json(answer));
    const keys = { pgpKeys: ["a2V5"], rootTokenPgpKey: "cm9vdA==" };
    await adminOf(server).initialise({ shares: 1, threshold: 1, ...keys });
    expect(JSON.parse(server.seen[0]?.body ?? "")).toMatchObject({
      pgp_keys: ["a2V5"],
      root_token_pgp_key: "cm9vdA==",
    });
  });

  test("gives every share that is there, however many were wanted", async () => {
    using server = startServer(() => json(answer));
    const { shares, rootToken } = await adminOf(server).initialise(wanted);
    const bytes = new Uint8Array(4);
    expect(shares.map((it) => it.writeTo(bytes) && Buffer.from(bytes).toString())).toEqual(
      answer.keys_base64,
    );
    expect(rootToken.byteLength).toBe(answer.root_token.length);
  });

  test.each([
    [500, "SERVER_ERROR"],
    [503, "SERVER_ERROR"],
    [429, "RATE_LIMITED"],
    [200, "BAD_RESPONSE"],
  ] as const)("is sent once when the answer is %d", async (status, code) => {
    using server = startServer(() => json({ errors: ["no"] }, status));
    const error = await failure(adminOf(server, patient).initialise(wanted));
    expect(error.code).toBe(code);
    expect(server.seen.length).toBe(1);
  });
});

test("initialise arrives once, though a kept connection breaks", async () => {
  const arrived: string[] = [];
  const status = JSON.stringify({ ...sealed, initialized: false, version: "2.7.2" });
  using listener = Bun.listen({
    ...{ hostname: "127.0.0.1", port: 0 },
    socket: {
      data(socket, bytes) {
        const [line = ""] = bytes.toString().split("\r\n", 1);
        arrived.push(line);
        if (line.startsWith("PUT")) socket.end();
        else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${status.length}\r\n\r\n${status}`);
      },
    },
  });
  const admin = adminOf({ address: `http://127.0.0.1:${listener.port}` });
  await admin.nodeState();
  expect((await failure(admin.initialise({ shares: 1, threshold: 1 }))).code).toBe("UNREACHABLE");
  expect(arrived.filter((line) => line.startsWith("PUT"))).toEqual(["PUT /v1/sys/init HTTP/1.1"]);
});

describe("operations for one node alone", () => {
  const operations = [
    [
      "initialise",
      (admin: ReturnType<typeof adminOf>) => admin.initialise({ shares: 1, threshold: 1 }),
    ],
    ["unseal", (admin: ReturnType<typeof adminOf>) => admin.unseal(share)],
  ] as const;
  test.each(operations)("%s does not follow a redirect", async (_name, run) => {
    using other = startServer(() => json(sealed));
    using server = startServer(
      () => new Response(null, { status: 307, headers: { Location: `${other.address}/v1/x` } }),
    );
    expect((await failure(run(adminOf(server)))).code).toBe("REDIRECT_REFUSED");
    expect(other.seen).toEqual([]);
  });
});

describe("unseal", () => {
  test("gives a share and reads the progress", async () => {
    const version = "2.7.2";
    using server = startServer(() => json({ ...sealed, version, storage_type: "raft" }));
    expect(await adminOf(server).unseal(share)).toEqual({
      ...{ initialized: true, sealed: true, shares: 5, threshold: 3, progress: 1, version },
      ...{ sealType: "shamir", storageType: "raft", clusterId: undefined },
    });
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({ key: "c2hhcmU=" });
  });

  test.each([
    ["invalid key: failed to decrypt keys from storage", "SHARE_REFUSED", 1],
    ["'key' must be a valid hex or base64 string", "SHARE_REFUSED", 1],
    ["Vault is not initialized", "NOT_INITIALIZED", 3],
  ] as const)("that ends in %j is %s", async (text, code, tries) => {
    using server = startServer(() => json({ errors: [text] }, 400));
    expect((await failure(adminOf(server, patient).unseal(share))).code).toBe(code);
    expect(server.seen.length).toBe(tries);
  });

  test("reset gives no share", async () => {
    using server = startServer(() => json({ ...sealed, progress: 0, version: "2.7.2" }));
    expect((await adminOf(server).resetUnseal()).progress).toBe(0);
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({ reset: true });
  });
});

describe("read and write", () => {
  test("nothing at a path is undefined", async () => {
    using server = startServer(() => json({ errors: [] }, 404));
    expect(await adminOf(server).read(token, "auth/kubernetes/role/svc")).toBeUndefined();
  });

  test("a path is encoded by segment, in the namespace", async () => {
    using server = startServer(() => json({ data: { a: "b" } }));
    expect(await adminOf(server, { namespace: "team" }).read(token, "a b/c@d")).toEqual({ a: "b" });
    expect(server.seen[0]?.target).toBe("/v1/a%20b/c%40d");
    expect(server.seen[0]?.headers.get("x-vault-namespace")).toBe("team");
  });

  test("a secret field is text only on the wire", async () => {
    using server = startServer(() => new Response(null, { status: 204 }));
    const fields = { host: "https://k", token_reviewer_jwt: new Secret("a.b.c"), ttl: 60 };
    await adminOf(server).write({ token, path: "auth/k/config", fields });
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({
      ...fields,
      token_reviewer_jwt: "a.b.c",
    });
  });

  test("joinRaft names the leader, without a token", async () => {
    using server = startServer(() => json({ joined: true }));
    await adminOf(server).joinRaft({ address: "http://leader:8200", caPem: "PEM" });
    expect(server.seen[0]?.target).toBe("/v1/sys/storage/raft/join");
    expect(server.seen[0]?.headers.has("x-vault-token")).toBe(false);
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({
      leader_api_addr: "http://leader:8200",
      leader_ca_cert: "PEM",
    });
  });
});
