import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { noEncryption, noteCluster, obtainKeys, type SecretClient } from "@svc/bootstrap";
import {
  applyObject,
  askKubernetes,
  callKubernetes,
  type Kubernetes,
  startKubernetes,
  waitFor,
} from "@svc/testing";
import { makeAccount, NAMESPACE, OUTPUT, secretClient } from "../harness/kubernetes/key-keeper.ts";
import { shamir, standInStore } from "./stand-in-store.ts";

const TIMEOUT_MS = 240_000;
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const POLICIES = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies";
const keeping = { deadlineMs: 2000, intervalMs: 50 };
const started = new AsyncDisposableStack();
let kube: Kubernetes;
let secret: SecretClient;

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  await makeAccount(kube, "svc-init");
  secret = await secretClient({ kind: "kubeconfig", paths: [kube.kubeconfig] });
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
beforeEach(async () => {
  await callKubernetes(kube, { method: "DELETE", path: SECRETS });
});
afterEach(async () => {
  await askKubernetes(kube, { method: "DELETE", path: `${POLICIES}/spoiler` });
  await settled((value) => value === btoa("as it is"));
});

/** The changes that a cluster's policy makes to Secrets with keys when they are written. */
const spoilers = {
  "changes a key": 'JSONPatch{op: "replace", path: "/data/unseal-key-1", value: "c3BvaWx0"}',
  "takes everything out": 'JSONPatch{op: "remove", path: "/data"}',
};

async function spoil(expression: string): Promise<void> {
  const name = "spoiler";
  const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"] };
  await applyObject(kube, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicy",
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [{ ...rule, operations: ["CREATE", "UPDATE"] }] },
      matchConditions: [
        { name: "keys", expression: 'has(object.data) && "unseal-key-1" in object.data' },
      ],
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: `[${expression}]` } }],
    },
  });
  await applyObject(kube, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name },
  });
  await settled((value) => value !== btoa("as it is"));
}

/** The API server hears of its policies some moments later. */
function settled(isSo: (value: unknown) => boolean): Promise<boolean> {
  const body = { metadata: { name: "probe" }, data: { "unseal-key-1": btoa("as it is") } };
  const path = `${SECRETS}?dryRun=All`;
  const probe = async () => {
    const made = await callKubernetes(kube, { method: "POST", path, body });
    const data: unknown = made?.["data"];
    const value =
      typeof data === "object" && data !== null ? Reflect.get(data, "unseal-key-1") : undefined;
    return isSo(value);
  };
  return waitFor(async () => (await probe()) || undefined, {
    deadlineMs: 20_000,
    what: "the policy to be known",
  });
}

async function namesOfSecrets(): Promise<readonly string[]> {
  const listed = await callKubernetes(kube, { method: "GET", path: SECRETS });
  const items = Array.isArray(listed?.["items"]) ? listed["items"] : [];
  return items.map(({ metadata }) => String(metadata.name));
}

for (const [what, expression] of Object.entries(spoilers)) {
  describe(`a policy that ${what} in Secrets`, () => {
    test("shows before the store is initialised", async () => {
      await spoil(expression);
      const store = standInStore();
      const work = { secret, shamir, encryption: noEncryption, holder: "run-1", keeping, ...store };
      const error: unknown = await obtainKeys(work).catch((it: unknown) => it);
      expect(error).toMatchObject({ code: "OUTPUT_NOT_KEPT" });
      expect(store.times()).toBe(0);
    });

    test("and comes when keys are in hand ends the run, which claims nothing", async () => {
      const store = standInStore();
      const initialise = async () => {
        const keys = await store.initialise();
        await spoil(expression);
        return keys;
      };
      const work = {
        secret,
        shamir,
        encryption: noEncryption,
        holder: "run-1",
        keeping,
        ...store,
        initialise,
      };
      const error: unknown = await obtainKeys(work).catch((it: unknown) => it);
      expect(error).toMatchObject({ code: "KEYS_NOT_STORED" });
      expect((await namesOfSecrets()).length).toBeLessThanOrEqual(5);
    });

    test("and comes later does not spoil the keys that are there", async () => {
      const store = standInStore();
      await obtainKeys({
        secret,
        shamir,
        encryption: noEncryption,
        holder: "run-1",
        keeping,
        ...store,
      });
      const before = await secret.read();
      await spoil(expression);
      const error: unknown = await noteCluster(secret, "here").catch((it: unknown) => it);
      expect(error).toMatchObject({ code: "OUTPUT_NOT_KEPT" });
      expect(await secret.read()).toEqual(before);
      expect(await namesOfSecrets()).toEqual([OUTPUT]);
    });
  });
}
