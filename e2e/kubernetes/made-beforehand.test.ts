import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
  beginRevocation,
  dropRootToken,
  noEncryption,
  noteConfigured,
  obtainKeys,
  parsePhase,
  type SecretClient,
} from "@svc/bootstrap";
import {
  applyObject,
  askKubernetes,
  type Kubernetes,
  startKubernetes,
  temporaryFolder,
} from "@svc/testing";
import {
  makeAccount,
  NAMESPACE,
  OUTPUT,
  podAccess,
  secretClient,
} from "../harness/kubernetes/key-keeper.ts";
import { type StandInStore, shamir, standInStore } from "./stand-in-store.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
let kube: Kubernetes;
let secret: SecretClient;

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  const one = { apiGroups: [""], resources: ["secrets"], resourceNames: [OUTPUT] };
  const token = await makeAccount(kube, "no-create", [{ ...one, verbs: ["get", "update"] }]);
  secret = await secretClient(await podAccess(kube, token, started.use(temporaryFolder()).path));
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

/** As a chart makes it. */
beforeEach(async () => {
  const path = `/api/v1/namespaces/${NAMESPACE}/secrets/${OUTPUT}`;
  await askKubernetes(kube, { method: "DELETE", path });
  await applyObject(kube, {
    apiVersion: "v1",
    kind: "Secret",
    type: "svc.internal/store-keys",
    metadata: {
      namespace: NAMESPACE,
      name: OUTPUT,
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "meta.helm.sh/release-name": "svc" },
    },
  });
});

function obtain({ standing, pod, initialise }: StandInStore, holder: string) {
  return obtainKeys({
    secret,
    shamir,
    encryption: noEncryption,
    holder,
    standing,
    pod,
    initialise,
  });
}

test("an empty Secret is filled with the rights to read and change it alone", async () => {
  expect(parsePhase(await secret.read())).toEqual({ phase: "empty" });
  const store = standInStore();
  expect((await obtain(store, "run-1")).outcome).toBe("created");
  expect((await obtain(store, "run-2")).outcome).toBe("unchanged");
  expect(store.times()).toBe(1);
});

test("the tool that made the Secret finds it again by its own labels and annotations", async () => {
  await obtain(standInStore(), "run-1");
  await noteConfigured(secret, "sha256:1");
  await beginRevocation(secret);
  expect(parsePhase(await secret.read())).toMatchObject({ revoking: true, configured: "sha256:1" });
  await dropRootToken(secret);
  const after = await secret.read();
  expect(parsePhase(after)).toMatchObject({ revoking: false, rootToken: undefined });
  expect(after?.labels).toMatchObject({ "app.kubernetes.io/managed-by": "Helm" });
  expect(after?.annotations).toMatchObject({ "meta.helm.sh/release-name": "svc" });
});

test("an empty Secret and a store that is initialised are not each other's", async () => {
  const store = standInStore();
  await store.initialise();
  const error: unknown = await obtain(store, "run-1").catch((it: unknown) => it);
  expect(error).toMatchObject({ code: "OUTPUT_MISSING" });
  expect(String(error)).toContain("empty");
});
