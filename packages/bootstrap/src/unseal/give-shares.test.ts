import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { refusal, STORE_PODS, sealBao } from "@svc/testing";
import { createVaultAdministration, Secret } from "@svc/vault";
import type { StoredKeys } from "../secret/secret-phase.ts";
import { storedKeys } from "../secret/testdata/secret-objects.ts";
import { parseUnsealSettings, type UnsealSettings } from "../settings.ts";
import { storeStatus } from "../status/store-status.ts";
import { type RunStage, recorded, runStage } from "../testdata/run-stage.ts";
import { giveShares, type Unsealing } from "./give-shares.ts";
import { unsealStore } from "./unseal-store.ts";

const TIMEOUT_MS = 120_000;
const tls = { skipVerify: false };
let stage: RunStage;
let keys: StoredKeys;
let settings: UnsealSettings;

beforeAll(async () => {
  stage = await runStage({ storage: "raft", count: 2 });
  stage.server.remove(`${STORE_PODS}/store-1`);
  const { error } = await stage.init({
    environment: { BOOTSTRAP_SHAMIR_SHARES: "3", BOOTSTRAP_SHAMIR_THRESHOLD: "2" },
  });
  if (error !== undefined) throw error;
  const phase = await stage.phase();
  if (phase.phase !== "initialised") throw new TypeError(phase.phase);
  keys = phase;
  const environment = new Map(Object.entries(stage.environment));
  const parsed = parseUnsealSettings({ environment, flags: [] });
  if (parsed.kind !== "settings") throw new TypeError(parsed.kind);
  ({ settings } = parsed);
}, TIMEOUT_MS);
afterAll(() => stage[Symbol.asyncDispose]());

const textOf = (secret: Secret | undefined): string => {
  const bytes = new Uint8Array(secret?.byteLength ?? 0);
  secret?.writeTo(bytes);
  return new TextDecoder().decode(bytes);
};
/** A share that fits no other one. */
const flipped = (share: Secret | undefined): Secret => {
  const bytes = Buffer.from(textOf(share), "base64");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return new Secret(bytes.toString("base64"));
};
const seal = async (index: number) => {
  const [first, second] = stage.nodes;
  const { address } = (index === 0 ? first : second) ?? first;
  await sealBao({ address, rootToken: textOf(keys.rootToken) });
};

/** Gives shares by their numbers, and notes how far the store was before each. */
async function give(...shares: readonly (number | Secret)[]) {
  const asked: Unsealing[] = [];
  const left = shares.map((share) => (typeof share === "number" ? keys.shares[share] : share));
  const ended = await recorded((progress) =>
    giveShares(settings, tls, {
      ...stage.tools(progress),
      next: async (unsealing) => {
        asked.push(unsealing);
        return left.shift();
      },
    }),
  );
  return { ...ended, asked };
}

const unseal = () => recorded((progress) => unsealStore(settings, tls, stage.tools(progress)));

describe("a store of one pod", () => {
  test("that is open needs no share", async () => {
    const { result, asked, steps } = await give();
    expect(result).toEqual({ progress: 255, threshold: 0, sealed: [] });
    expect([asked, steps]).toEqual([[], ["unseal store-0 unchanged"]]);
  });

  test("keeps a share until the next holder comes", async () => {
    await seal(0);
    const first = await give(0);
    expect(first.result).toEqual({ progress: 1, threshold: 2, sealed: ["store-0"] });
    const second = await give(0, 1);
    expect(second.asked.map(({ progress }) => progress)).toEqual([1, 1]);
    expect(second.steps).toEqual([
      "warning: a key share was given that had been given before: it counts once",
      "unseal store-0 updated",
    ]);
    expect(second.result?.sealed).toEqual([]);
  });

  test("forgets all shares if they do not fit", async () => {
    await seal(0);
    const { error } = await give(0, flipped(keys.shares[2]));
    expect(error).toMatchObject({ code: "SHARE_REFUSED" });
    expect((await give()).result).toMatchObject({ progress: 0, sealed: ["store-0"] });
  });

  test("is opened with the shares of the Secret", async () => {
    expect((await unseal()).steps).toEqual(["unseal store-0 updated"]);
    expect((await unseal()).steps).toEqual(["unseal store-0 unchanged"]);
  });
});

describe("a pod with a new disk", () => {
  test(
    "joins the store and gets the shares that the first pod got",
    async () => {
      await seal(0);
      stage.putPod(1);
      const { steps, result, error } = await give(1, 2);
      expect(error).toBeUndefined();
      expect(result?.sealed).toEqual([]);
      expect(steps).toEqual([
        ...["unseal store-0 updated", "waiting: store-1 is in no cluster"],
        ...["join store-1 created", "unseal store-1 updated"],
      ]);
    },
    TIMEOUT_MS,
  );

  test(
    "is a part of it from then on, and is opened with it",
    async () => {
      const { cluster } = stage;
      const administer = (address: string) =>
        createVaultAdministration({ address, tls, retry: { deadlineMs: 2000 } });
      await seal(1);
      const sealed = await storeStatus(settings, cluster, administer);
      expect(sealed).toMatchObject({ isOpen: false, keysProblem: undefined });
      expect(sealed.nodes.map(({ state }) => state)).toEqual(["active", "sealed"]);
      expect((await unseal()).steps).toEqual([
        "unseal store-0 unchanged",
        "unseal store-1 updated",
      ]);
      const open = await storeStatus(settings, cluster, administer);
      expect(open.isOpen).toBe(true);
      expect(open.nodes.map(({ state }) => state)).toEqual(["active", "standby"]);
    },
    TIMEOUT_MS,
  );
});

describe("a run stops before it gives a share:", () => {
  const rows: readonly (readonly [string, () => void, object])[] = [
    [
      "no pod is there",
      () => {
        stage.server.remove(`${STORE_PODS}/store-0`);
        stage.server.remove(`${STORE_PODS}/store-1`);
      },
      { code: "PODS_NOT_READY", message: "unseal the store's pods: no initialised pod answers" },
    ],
    [
      "the pods may not be listed",
      () => {
        stage.server.intercept = () => refusal(403, "Forbidden", "not you");
      },
      { code: "KUBERNETES_DENIED" },
    ],
  ];
  for (const [name, prepare, error] of rows) {
    test(name, async () => {
      prepare();
      expect((await give(0)).error).toMatchObject(error);
      stage.server.intercept = () => undefined;
      stage.putPod(0);
      stage.putPod(1);
    });
  }

  const secrets: readonly (readonly [string, () => void, object])[] = [
    [
      "the Secret is not there",
      () => stage.server.remove(stage.path),
      { code: "OUTPUT_MISSING", message: expect.stringContaining("there is no such Secret") },
    ],
    [
      "the Secret is empty",
      () => {
        const { type } = Object(stage.server.get(stage.path));
        stage.server.put(stage.path, { metadata: { name: "svc-vault-init" }, type });
      },
      { code: "OUTPUT_MISSING", message: expect.stringContaining("it is empty") },
    ],
    [
      "a run has reserved the Secret",
      () => stage.putPhase({ phase: "reserved", holder: "run-9", sinceMs: 1, resets: 0 }),
      { code: "OUTPUT_RESERVED", message: expect.stringContaining('"run-9" has reserved it') },
    ],
    [
      "the Secret is another one",
      () => stage.server.put(stage.path, { metadata: {}, type: "Opaque", data: { a: btoa("b") } }),
      { code: "OUTPUT_FOREIGN" },
    ],
    [
      "the Secret has keys of another store",
      () => stage.putPhase({ ...storedKeys, clusterId: "another" }),
      { code: "OUTPUT_OF_ANOTHER_STORE" },
    ],
    [
      "the shares are encrypted, and a pod is sealed",
      () => {
        stage.putPhase({ ...keys, encryption: { shares: "age" } });
        const pod = Object(stage.server.get(`${STORE_PODS}/store-1`));
        stage.server.put(`${STORE_PODS}/store-1`, { ...pod, status: { phase: "Pending" } });
      },
      { code: "PODS_LEFT", message: "unseal the store's pods: store-1 is Pending" },
    ],
  ];
  for (const [name, prepare, error] of secrets) {
    test(name, async () => {
      const before = stage.server.get(stage.path) ?? {};
      prepare();
      expect((await unseal()).error).toMatchObject(error);
      stage.server.put(stage.path, before);
      stage.putPod(1);
    });
  }

  test(
    "the shares of the Secret are of another store",
    async () => {
      await seal(0);
      stage.putPhase({ ...keys, shares: keys.shares.toReversed().map(flipped) });
      expect((await unseal()).error).toMatchObject({ code: "SHARE_REFUSED" });
      stage.putPhase(keys);
      expect((await unseal()).error).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  test(
    "the shares are encrypted, and it has none in plain",
    async () => {
      stage.putPhase({ ...keys, encryption: { shares: "age" } });
      await seal(0);
      expect((await unseal()).error).toMatchObject({
        code: "SHARES_ENCRYPTED",
        message: expect.stringContaining("its key shares are encrypted with age, and 2 are needed"),
      });
      stage.putPhase(keys);
      expect((await unseal()).error).toBeUndefined();
    },
    TIMEOUT_MS,
  );
});
