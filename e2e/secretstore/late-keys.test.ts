import { afterAll, beforeAll, expect, test } from "bun:test";
import { callKubernetes } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { type Cluster, OUTPUT, startCluster } from "./cluster.ts";
import type { Accident } from "./fault-proxy.ts";
import { runProxied } from "./proxied-run.ts";
import { runSvc } from "./run-svc.ts";
import { type StoreRelease, startRelease } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
/** A reservation is void after three minutes. */
const RESERVED_MS = 180_000;
const LEFT_MS = 60_000;
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

test(
  "a run that gets the keys late has its whole time for the other pods",
  async () => {
    await using release = await startRelease(cluster.kube, { storage: "raft", size: 3 });
    await reserve(release);
    const environment = cluster.environmentFor(release);
    const { hosts } = release;
    // The other run's reservation ends when nearly all of the time is over.
    const words = ["secretstore", "init", `--wait=${LEFT_MS / 1000 + 1}s`];
    const { exitCode, stderr } = await runSvc(words, { environment, hosts });
    expect(exitCode, stderr).toBe(0);
  },
  TIMEOUT_MS,
);

/** As a run that was killed when it had reserved the Secret, two minutes ago. */
async function reserve(release: StoreRelease): Promise<void> {
  const accident = (kill: () => Promise<void>): Accident => ({
    onAnswer: async ({ name }) => {
      if (name !== "POST secrets") return "passes";
      await kill();
      return "is lost";
    },
  });
  await runProxied({ cluster, release, accident });
  const since = new Date(Date.now() - RESERVED_MS + LEFT_MS).toISOString();
  await callKubernetes(cluster.kube, {
    ...{ method: "PATCH", contentType: "application/merge-patch+json" },
    path: `/api/v1/namespaces/${release.namespace}/secrets/${OUTPUT}`,
    body: { metadata: { annotations: { "svc.internal/reserved-at": since } } },
  });
}
