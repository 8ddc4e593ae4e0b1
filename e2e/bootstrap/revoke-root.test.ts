import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  parsePhase,
  revokeRoot,
  type SecretClient,
  type SecretContent,
  type StoredKeys,
  writePhase,
} from "@svc/bootstrap";
import { type OpenBao, startOpenBao } from "@svc/testing";
import { Secret } from "@svc/vault";
import { administer } from "../harness/stores/opened-store.ts";

let bao: OpenBao;
beforeAll(async () => {
  bao = await startOpenBao({ storage: "inmem" });
});
afterAll(() => bao.stop());

const revision = { uid: "one", resourceVersion: "1" };

/** A Secret in memory: this test looks at the store only. */
function secretWith(stored: StoredKeys) {
  let content: SecretContent = writePhase(stored);
  const refuse = () => Promise.reject(new TypeError("revoke: only amends"));
  const secret: SecretClient = {
    name: "secret",
    read: async () => ({ ...content, revision, immutable: false, deleting: false }),
    replace: async (changed) => {
      content = changed;
      return "written";
    },
    rehearse: async (it) => it,
    create: refuse,
    createBeside: refuse,
    besideName: refuse,
  };
  const now = () => parsePhase({ ...content, revision, immutable: false, deleting: false });
  return { secret, now };
}

function keysWith(rootToken: Secret): StoredKeys {
  return {
    ...{ phase: "initialised", shares: [new Secret("c2hhcmU=")], threshold: 1, rootToken },
    ...{ encryption: {}, revoking: false, clusterId: undefined, createdMs: 0, resets: 0 },
  };
}

test("a refusal by something in front of the store is not taken for the end of the token", async () => {
  await using guard = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<html>Forbidden</html>", { status: 403 }),
  });
  const rootToken = new Secret(bao.rootToken);
  const stored = keysWith(rootToken);
  const { secret, now } = secretWith(stored);
  const kept = { stored, rootToken, name: "secret" };
  const error = await revokeRoot(secret, administer(guard.url.origin), kept).catch((it) => it);
  expect(error).toMatchObject({ code: "DENIED" });
  expect(now()).toMatchObject({
    phase: "initialised",
    revoking: true,
    rootToken: expect.any(Secret),
  });
  expect(await administer(bao.address).acceptsToken(rootToken)).toBeTrue();
});

test("the store's own end of the token is, and its own refusal of one that has ended", async () => {
  const rootToken = new Secret(bao.rootToken);
  const admin = administer(bao.address);
  for (const time of ["first", "second"]) {
    const stored = keysWith(rootToken);
    const { secret, now } = secretWith(stored);
    const kept = { stored, rootToken, name: "secret" };
    expect([time, await revokeRoot(secret, admin, kept)]).toEqual([time, { outcome: "updated" }]);
    expect(now()).toMatchObject({ rootToken: undefined, revoking: false });
  }
  expect(await admin.acceptsToken(rootToken)).toBeFalse();
});
