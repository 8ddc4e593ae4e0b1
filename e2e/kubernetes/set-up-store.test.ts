import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  ensureAuthConfig,
  ensureAuthMount,
  ensureKvMount,
  ensurePolicy,
  ensureRole,
  initialiseStore,
  parseBootstrapSettings,
  policyText,
  type StepOutcome,
  type StoreAccess,
  unsealNode,
} from "@svc/bootstrap";
import {
  applyObject,
  canary,
  createServiceAccountToken,
  type Kubernetes,
  reviewerToken,
  startKubernetes,
  startOpenBao,
} from "@svc/testing";
import { createVaultClient, Secret, VaultError } from "@svc/vault";
import { administer, formsOf, textOf } from "../harness/stores/opened-store.ts";

const TIMEOUT_MS = 240_000;
const password = canary();
const started = new AsyncDisposableStack();
let kube: Kubernetes;
let address: string;
const outcomes: StepOutcome[] = [];

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  for (const namespace of ["shop", "bank"]) {
    await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const metadata = { namespace, name: "app" };
    await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  }
  const bao = started.use(await startOpenBao({ storage: "raft", initialise: false }));
  address = bao.address;
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

/** Every step but the output Secret, from settings as a person gives them. */
async function setUp(access: StoreAccess): Promise<readonly StepOutcome[]> {
  const environment = new Map([
    ["STORE_ADDR", address],
    ["STORE_NAMESPACE", "vault"],
    ["STORE_RELEASE_NAME", "store"],
    ["BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES", "shop"],
  ]);
  const parsed = parseBootstrapSettings({ environment, flags: ["--kv-path=team/kv"] });
  if (parsed.kind !== "settings") throw new TypeError(`got ${parsed.kind}`);
  const { kvPath, authPath, policyName, role } = parsed.settings;
  const token = new Secret(await reviewerToken(kube));
  const review = { host: kube.address, caPem: kube.caPem, reviewerToken: token, outside: true };
  return [
    await ensureKvMount(access, kvPath),
    await ensureAuthMount(access, authPath),
    await ensureAuthConfig(access, authPath, review),
    await ensurePolicy(access, { name: policyName, text: policyText(kvPath) }),
    await ensureRole(access, { ...role, authPath, policyName }),
  ];
}

async function logIn(namespace: string) {
  const client = createVaultClient({ address, tls: { skipVerify: false } });
  const jwt = new Secret(await createServiceAccountToken(kube, namespace, "app"));
  const { token, ttlMs } = await client.loginKubernetes({
    mountPath: "kubernetes",
    role: "svc",
    jwt,
  });
  return { client, token, ttlMs };
}

test("a store that was never initialised serves a pod's account after one run, and a second changes nothing", async () => {
  const admin = administer(address);
  const keys = await initialiseStore(admin, { shares: 5, threshold: 3 });
  outcomes.push(await unsealNode(admin, keys.shares));
  const access = { admin, token: keys.rootToken };
  outcomes.push(...(await setUp(access)));
  expect(new Set(outcomes.slice(1).map(({ outcome }) => outcome))).toEqual(new Set(["created"]));
  const again = await setUp(access);
  expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(["unchanged"]));
  await fetch(`${address}/v1/team/kv/data/app`, {
    method: "POST",
    headers: { "X-Vault-Token": textOf(keys.rootToken) },
    body: JSON.stringify({ data: { password } }),
  });
  await admin.revokeSelf(keys.rootToken);
  const shown = JSON.stringify(outcomes);
  expect(formsOf(keys).filter((form) => shown.includes(form))).toEqual([]);
});

test("the account logs in, reads, looks at versions, and renews and ends its token", async () => {
  const { client, token, ttlMs } = await logIn("shop");
  expect(ttlMs).toBe(3_600_000);
  const { fields } = await client.readSecret(token, { path: "team/kv/data/app" });
  expect(fields.get("password")?.open([])).toBe(password);
  expect((await client.readMetadata(token, "team/kv/data/app")).currentVersion).toBe(1);
  expect((await client.renewSelf(token)).renewable).toBe(true);
  expect((await client.lookupSelf(token)).policies.toSorted()).toEqual(["default", "svc"]);
  await client.revokeSelf(token);
});

test("an account of a namespace that is not bound is refused", async () => {
  const error = await logIn("bank").catch((it: unknown) => it);
  expect(error).toBeInstanceOf(VaultError);
  expect(error).toMatchObject({ code: "DENIED" });
});
