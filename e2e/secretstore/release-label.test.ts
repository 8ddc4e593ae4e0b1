import { afterAll, beforeAll, expect, test } from "bun:test";
import { callKubernetes } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { lastOf } from "./after-accident.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { runSvc } from "./run-svc.ts";
import { writePod } from "./store-pods.ts";
import { type StoreRelease, startRelease } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
let cluster: Cluster;
let release: StoreRelease;

beforeAll(async () => {
  cluster = started.use(await startCluster());
  release = started.use(await startRelease(cluster.kube, { storage: "inmem" }));
  await label(release, 0, "bao");
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

async function label(place: Place, index: number, instance: string): Promise<void> {
  const { namespace, releaseName } = place;
  await callKubernetes(cluster.kube, {
    method: "PATCH",
    path: `/api/v1/namespaces/${namespace}/pods/${releaseName}-${index}`,
    contentType: "application/merge-patch+json",
    body: { metadata: { labels: { "app.kubernetes.io/instance": instance } } },
  });
}

type Place = Pick<StoreRelease, "namespace" | "releaseName">;

async function status(more: Readonly<Record<string, string>>) {
  const environment = { ...cluster.environmentFor(release), ...more };
  return runSvc(["secretstore", "status", "-o", "json"], { environment, hosts: release.hosts });
}

const found = { type: "result", nodes: [{ name: "store-0", state: "uninitialised" }] };

test.each([
  ["its Helm release, which its pods have in a label", { STORE_RELEASE_NAME: "bao" }],
  ["the names of its pods", { STORE_RELEASE_NAME: "store" }],
  ["a prefix", { STORE_RELEASE_NAME: "nonsense", STORE_POD_PREFIX: "store" }],
])("a store is found by %s", async (_, environment) => {
  expect(lastOf(await status(environment))).toMatchObject(found);
});

test("two StatefulSets of a release are told apart by a prefix alone", async () => {
  const other = { ...release, releaseName: "other" };
  await writePod(cluster.kube, other, { index: 0 });
  await label(other, 0, "bao");
  const end = lastOf(await status({ STORE_RELEASE_NAME: "bao" }));
  expect(end).toMatchObject({
    ...{ type: "error", code: "PODS_AMBIGUOUS" },
    message: expect.stringContaining(
      "app.kubernetes.io/instance=bao is of other-<n> and store-<n>",
    ),
    hint: expect.stringContaining("STORE_POD_PREFIX"),
  });
  const told = await status({ STORE_RELEASE_NAME: "bao", STORE_POD_PREFIX: "store" });
  expect(lastOf(told)).toMatchObject(found);
});
