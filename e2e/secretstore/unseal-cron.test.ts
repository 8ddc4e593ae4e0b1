import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  applyObject,
  askKubernetes,
  createServiceAccountToken,
  type KubernetesObject,
} from "@svc/testing";
import { renderChart } from "../harness/kubernetes/helm.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { lastOf } from "./after-accident.ts";
import { type Cluster, outputPath, startCluster } from "./cluster.ts";
import { runProxied } from "./proxied-run.ts";
import { sealAll } from "./release-commands.ts";
import { makeNamespace } from "./store-pods.ts";
import { type StoreRelease, startRelease } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
let cluster: Cluster;
let release: StoreRelease;
let made: readonly KubernetesObject[] = [];

beforeAll(async () => {
  cluster = started.use(await startCluster());
  await makeNamespace(cluster.kube, "vault");
  release = started.use(await startRelease(cluster.kube));
  const { namespace } = release;
  const settings = { storeAddr: "https://vault.vault:8200", releaseName: "store", namespace };
  const unseal = { enabled: true, schedule: "*/2 * * * *" };
  const objects = await renderChart({ image: "registry.test/svc:0", settings, unseal });
  made = objects.filter(({ metadata }) => metadata.name === "svc-secretstore-unseal");
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

test("the chart makes a CronJob with a separate account, which the API server accepts", async () => {
  expect(made.map(({ kind }) => kind).toSorted()).toEqual([
    ...["CronJob", "Role", "RoleBinding", "ServiceAccount"],
  ]);
  for (const object of made) await applyObject(cluster.kube, object);
});

test("that account unseals a store that has restarted, and may not change the Secret", async () => {
  const first = await runProxied({ cluster, release });
  expect(first.exitCode, first.stdout).toBe(0);
  await sealAll(release, (await cluster.keysOf(release))?.["root-token"] ?? "");
  const token = await createServiceAccountToken(cluster.kube, "vault", "svc-secretstore-unseal");
  const account = { ...cluster, kube: { ...cluster.kube, token } };
  const words = ["unseal", "-o", "json"];
  const end = await runProxied({ cluster: account, release, words });
  expect([end.exitCode, lastOf(end)], end.stdout).toEqual([0, { type: "result", sealed: [] }]);
  const again = await runProxied({ cluster: account, release, words });
  expect(again.exitCode, again.stdout).toBe(0);
  const path = outputPath(release);
  const { status } = await askKubernetes(account.kube, { method: "DELETE", path });
  expect(status).toBe(403);
});

test("shares that are encrypted to people are not promised to be used", async () => {
  const settings = { storeAddr: "https://v:8200", releaseName: "v", ageRecipients: "age1x" };
  const values = { image: "x", settings, unseal: { enabled: true } };
  await expect(renderChart(values)).rejects.toThrow("unseal.enabled: must be false if shares");
});
