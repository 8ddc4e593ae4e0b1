import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  BootstrapError,
  connectKubernetes,
  dropRootToken,
  type KeyWork,
  keepKeys,
  noEncryption,
  noteCluster,
  obtainKeys,
  parsePhase,
  RESERVATION_LIFE_MS,
  reserveSecret,
  type SecretClient,
} from "@svc/bootstrap";
import type { ClusterAccess } from "@svc/kubernetes";
import {
  applyObject,
  askKubernetes,
  type Kubernetes,
  startKubernetes,
  temporaryFolder,
} from "@svc/testing";
import { VaultError } from "@svc/vault";
import {
  makeAccount,
  NAMESPACE,
  OUTPUT,
  podAccess,
  secretClient,
} from "../harness/kubernetes/key-keeper.ts";
import { formsOf } from "../harness/stores/opened-store.ts";
import { type StandInStore, shamir, standInStore } from "./stand-in-store.ts";

const TIMEOUT_MS = 240_000;
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const soon = { deadlineMs: 300, intervalMs: 20 };
const started = new AsyncDisposableStack();
let kube: Kubernetes;
let access: ClusterAccess;
let secret: SecretClient;

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  const token = await makeAccount(kube, "svc-init");
  access = await podAccess(kube, token, started.use(temporaryFolder()).path);
  secret = await secretClient(access);
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
beforeEach(async () => {
  await askKubernetes(kube, { method: "DELETE", path: SECRETS });
});

function workOf(store: StandInStore, more: Partial<KeyWork> = {}): KeyWork {
  const { standing, pod, initialise } = store;
  const encryption = noEncryption;
  return {
    secret,
    shamir,
    encryption,
    holder: "run-1",
    standing,
    pod,
    initialise,
    keeping: soon,
    ...more,
  };
}

const codeOf = (error: unknown) => (error instanceof BootstrapError ? error.code : error);
const failing = (act: Promise<unknown>) =>
  act.then(
    () => "no error",
    (error: unknown) => error,
  );
const remove = (name = OUTPUT) =>
  askKubernetes(kube, { method: "DELETE", path: `${SECRETS}/${name}` });
const reserve = async (holder: string, sinceMs: number) =>
  reserveSecret(secret, await secret.read(), { phase: "reserved", holder, sinceMs, resets: 0 });

test("keys are created once, and found by the next run", async () => {
  const store = standInStore();
  const first = await obtainKeys(workOf(store));
  const second = await obtainKeys(workOf(store, { holder: "run-2" }));
  expect([first.outcome, second.outcome]).toEqual(["created", "unchanged"]);
  const { shares, rootToken } = second.plain;
  if (shares === undefined || rootToken === undefined) throw new TypeError("they are not plain");
  expect(formsOf({ shares, rootToken })).toEqual(formsOf(store.keys));
  const path = `${SECRETS}/${OUTPUT}`;
  const { body } = await askKubernetes(kube, { method: "GET", path });
  const known = Object.keys(Object(body?.["data"])).toSorted();
  expect(known).toEqual(["root-token", "unseal-key-1", "unseal-key-2", "unseal-key-3"]);
});

test("of runs at once one initialises, and the others stop or find its keys", async () => {
  const store = standInStore();
  const names = ["a", "b", "c", "d"];
  const runs = names.map((holder) => obtainKeys(workOf(store, { holder })));
  const ends = await Promise.allSettled(runs);
  expect(store.times()).toBe(1);
  const created = ends.filter(
    (end) => end.status === "fulfilled" && end.value.outcome === "created",
  );
  expect(created.length).toBe(1);
  const codes = ends.flatMap((end) => (end.status === "rejected" ? [codeOf(end.reason)] : []));
  const allowed = ["OUTPUT_RESERVED", "OUTPUT_UNFINISHED"];
  expect(codes.filter((code) => !allowed.includes(String(code)))).toEqual([]);
  expect(parsePhase(await secret.read()).phase).toBe("initialised");
});

describe("a reservation of another run", () => {
  test("is respected while it is young", async () => {
    await reserve("run-2", Date.now());
    const store = standInStore();
    expect(codeOf(await failing(obtainKeys(workOf(store))))).toBe("OUTPUT_RESERVED");
    expect(store.times()).toBe(0);
  });

  test("is taken over once it is old", async () => {
    await reserve("run-2", Date.now() - RESERVATION_LIFE_MS - 1000);
    expect((await obtainKeys(workOf(standInStore()))).outcome).toBe("created");
  });

  test("is left alone if the store is initialised, however old", async () => {
    await reserve("run-2", 0);
    const store = standInStore();
    await store.initialise();
    expect(codeOf(await failing(obtainKeys(workOf(store))))).toBe("OUTPUT_UNFINISHED");
  });

  test("that takes over ours while the store is being initialised gets our keys", async () => {
    const store = standInStore();
    const initialise = async () => {
      const keys = await store.initialise();
      await reserve("run-2", Date.now());
      return keys;
    };
    expect((await obtainKeys(workOf(store, { initialise }))).outcome).toBe("created");
    expect(parsePhase(await secret.read()).phase).toBe("initialised");
  });
});

test("a run whose initialisation fails lets the next one in at once", async () => {
  const initialise = async () => {
    throw new VaultError("BAD_REQUEST", "initialise: refused");
  };
  const store = standInStore();
  const error = await failing(obtainKeys(workOf(store, { initialise })));
  expect(error).toMatchObject({ code: "BAD_REQUEST" });
  expect((await obtainKeys(workOf(store, { holder: "run-2" }))).outcome).toBe("created");
});

describe("a Secret that goes while the store is being initialised", () => {
  test("is made again with the keys", async () => {
    const store = standInStore();
    const initialise = async () => {
      const keys = await store.initialise();
      await remove();
      return keys;
    };
    await obtainKeys(workOf(store, { initialise }));
    expect(parsePhase(await secret.read()).phase).toBe("initialised");
  });

  test("and whose name another client takes is left alone: the keys go beside it", async () => {
    const store = standInStore();
    const initialise = async () => {
      const keys = await store.initialise();
      await remove();
      const metadata = { namespace: NAMESPACE, name: OUTPUT };
      await applyObject(kube, {
        apiVersion: "v1",
        kind: "Secret",
        metadata,
        data: { mine: "eA==" },
      });
      return keys;
    };
    const error = await failing(obtainKeys(workOf(store, { initialise })));
    expect(codeOf(error)).toBe("OUTPUT_BESIDE");
    const name = /"(svc-vault-init-[^"]+)"/.exec(String(error))?.[1] ?? "";
    const beside = await (
      await secretClient({ kind: "kubeconfig", paths: [kube.kubeconfig] }, name)
    ).read();
    expect(parsePhase(beside).phase).toBe("initialised");
    expect(await secret.read()).toMatchObject({ type: "Opaque" });
    expect(formsOf(store.keys).filter((form) => Bun.inspect(error).includes(form))).toEqual([]);
  });
});

test("a write in a state that is gone is a conflict, with nothing changed", async () => {
  await reserve("run-1", 1000);
  const old = await secret.read();
  await reserve("run-2", 2000);
  const now = await secret.read();
  if (old === undefined || now === undefined) throw new TypeError("it is not there");
  expect(await secret.replace(old, old.revision)).toBe("conflict");
  expect(await secret.rehearse(old, old.revision)).toBe("conflict");
  expect(await secret.rehearse(old, now.revision)).toMatchObject({ annotations: old.annotations });
  expect(await secret.create(old)).toBe("exists");
  expect(await secret.read()).toEqual(now);
  await remove();
  expect(await secret.replace(now, now.revision)).toBe("conflict");
  await reserve("run-3", 3000);
  // It was made again: the same name is another Secret.
  expect(await secret.replace(now, now.revision)).toBe("conflict");
});

test("the mark of the owner cannot be changed", async () => {
  await reserve("run-1", 1000);
  const seen = await secret.read();
  if (seen === undefined) throw new TypeError("it is not there");
  const error = await failing(secret.replace({ ...seen, type: "Opaque" }, seen.revision));
  expect(codeOf(error)).toBe("KUBERNETES_REFUSED");
});

test("the cluster is noted and the root token dropped, once each", async () => {
  await obtainKeys(workOf(standInStore()));
  const outcomes = [
    ...[await noteCluster(secret, "id-1"), await noteCluster(secret, "id-2")],
    ...[await dropRootToken(secret), await dropRootToken(secret)],
  ];
  expect(outcomes).toEqual(["updated", "unchanged", "updated", "unchanged"]);
  const phase = parsePhase(await secret.read());
  expect(phase).toMatchObject({ clusterId: "id-1", rootToken: undefined, threshold: 2 });
});

describe("an account", () => {
  const one = { apiGroups: [""], resources: ["secrets"], resourceNames: [OUTPUT] };
  const create = { apiGroups: [""], resources: ["secrets"], verbs: ["create"] };
  const asAccount = async (name: string, rules: readonly object[]) => {
    const token = await makeAccount(kube, name, rules);
    return secretClient(await podAccess(kube, token, started.use(temporaryFolder()).path));
  };
  const cases: readonly (readonly [name: string, rules: readonly object[]])[] = [
    ["that may not read it", [{ ...one, verbs: ["update"] }, create]],
    ["that may not change it", [{ ...one, verbs: ["get"] }, create]],
    ["that may not create it", [{ ...one, verbs: ["get", "update"] }]],
  ];
  for (const [index, [name, rules]] of cases.entries()) {
    test(`${name} is refused before the store is initialised`, async () => {
      const store = standInStore();
      const limited = await asAccount(`limited-${index}`, rules);
      const error = await failing(obtainKeys(workOf(store, { secret: limited })));
      expect(codeOf(error)).toBe("KUBERNETES_DENIED");
      expect(String(error)).toContain("cannot");
      expect(store.times()).toBe(0);
    });
  }

  test("with the command's rights sees no other Secret", async () => {
    const other = await secretClient(access, "other");
    expect(codeOf(await failing(other.read()))).toBe("KUBERNETES_DENIED");
  });

  test("that loses all permissions with the keys in hand reports their loss, and never shows them", async () => {
    const { keys } = standInStore();
    const stranger = await asAccount("stranger", []);
    const error = await failing(
      keepKeys(stranger, { ...keys, threshold: 2, encryption: {}, createdMs: 0, resets: 0 }, soon),
    );
    expect(codeOf(error)).toBe("KEYS_NOT_STORED");
    expect(formsOf(keys).filter((form) => Bun.inspect(error).includes(form))).toEqual([]);
  });
});

test("the store's pods are found by number, and others are not", async () => {
  const spec = { containers: [{ name: "bao", image: "bao" }] };
  for (const name of [
    "store-10",
    "store-2",
    "store-0",
    "store-0-x",
    "store-agent-1",
    "restore-1",
  ]) {
    const metadata = { namespace: NAMESPACE, name };
    await applyObject(kube, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace: NAMESPACE, name: "default" },
    });
    await applyObject(kube, { apiVersion: "v1", kind: "Pod", metadata, spec });
  }
  const cluster = await connectKubernetes(access);
  const pods = await cluster.storePods({ namespace: NAMESPACE, releaseName: "store" });
  expect(pods.map(({ index }) => index)).toEqual([0, 2, 10]);
});
