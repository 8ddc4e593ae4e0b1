import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  initialiseStore,
  noEncryption,
  noteCluster,
  obtainKeys,
  type SecretClient,
  storeStanding,
  unsealNode,
} from "@svc/bootstrap";
import { startKubernetes, startOpenBao } from "@svc/testing";
import type { InitialisationRequest, VaultAdministration } from "@svc/vault";
import { makeAccount, secretClient } from "../harness/kubernetes/key-keeper.ts";
import { administer } from "../harness/stores/opened-store.ts";
import { somePod } from "./stand-in-store.ts";

const TIMEOUT_MS = 240_000;
const encryption = noEncryption;
const shamir = { shares: 3, threshold: 2 };
const started = new AsyncDisposableStack();
let secret: SecretClient;

beforeAll(async () => {
  const kube = started.use(await startKubernetes());
  await makeAccount(kube, "svc-init");
  secret = await secretClient({ kind: "kubeconfig", paths: [kube.kubeconfig] });
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

async function freshStore(): Promise<VaultAdministration> {
  const bao = started.use(await startOpenBao({ storage: "raft", initialise: false }));
  return administer(bao.address);
}

function obtain(admin: VaultAdministration, holder: string) {
  const standing = async () => storeStanding([await admin.nodeState()]);
  const initialise = (wanted: InitialisationRequest) => initialiseStore(admin, wanted);
  const work = { secret, shamir, encryption, holder, standing, pod: somePod, initialise };
  return obtainKeys(work);
}

test("a real store's keys are created, unseal it, and are refused for any other", async () => {
  const store = await freshStore();
  const first = await obtain(store, "run-1");
  expect(first.outcome).toBe("created");
  const second = await obtain(store, "run-2");
  expect(second.outcome).toBe("unchanged");
  await unsealNode(store, second.plain.shares ?? []);
  const { clusterId = "" } = await store.nodeState();
  expect(await noteCluster(secret, clusterId)).toBe("updated");
  expect((await obtain(store, "run-3")).stored.clusterId).toBe(clusterId);

  const other = await freshStore();
  expect(await refusal(other)).toMatchObject({ code: "STORE_EMPTY" });
  const { shares } = await initialiseStore(other, shamir);
  await unsealNode(other, shares);
  expect(await refusal(other)).toMatchObject({ code: "OUTPUT_OF_ANOTHER_STORE" });
}, 60_000);

function refusal(store: VaultAdministration): Promise<unknown> {
  return obtain(store, "run-4").catch((error: unknown) => error);
}
