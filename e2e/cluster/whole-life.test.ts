import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { version } from "@svc/protocol";
import { temporaryFolder, waitFor } from "@svc/testing";
import { runHelm } from "../harness/kubernetes/helm.ts";
import { operatorChart } from "../harness/kubernetes/operator-chart.ts";
import { clusterObjects } from "./cluster-objects.ts";
import { applicationImages } from "./images/application-images.ts";
import { EARLIER_COMMIT, earlierChart } from "./operator/earlier-chart.ts";
import { injectedPod } from "./operator/injected-pod.ts";
import {
  helmOperator,
  injectionStage,
  makeShop,
  OPERATOR,
  operatorValues,
} from "./operator/injection-stage.ts";
import { digestOf, toldDigest } from "./operator/told-digest.ts";
import { storyCluster } from "./story-cluster.ts";
import { type Pod, readPod, waitForReady } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "long-lived";
const old = { namespace, name: "old" };
const folder = temporaryFolder();
let image: string;
let value: string;
let before: readonly string[];

/** The objects that `helm uninstall` leaves, and the commands for them, both from the guide. */
const LEFT = [
  "/CustomResourceDefinition/svcconfigs.svc.internal",
  "/CustomResourceDefinition/svcpolicies.svc.internal",
  `/ValidatingAdmissionPolicy/${OPERATOR.deployment}`,
  "/ValidatingAdmissionPolicy/svcpolicies.svc.internal",
  `/ValidatingAdmissionPolicyBinding/${OPERATOR.deployment}`,
  "/ValidatingAdmissionPolicyBinding/svcpolicies.svc.internal",
] as const;

beforeAll(async () => {
  ({ scratch: image } = await applicationImages(cluster.state));
  ({ value } = await injectionStage(cluster));
  await uninstall();
  await removeTheRest();
  before = await objects();
});

afterAll(async () => {
  folder[Symbol.dispose]();
  await cluster.kubectl("delete", "namespace", namespace, "--ignore-not-found", "--wait=false");
  // Other stories come after this one.
  await helmOperator(cluster, "install", await operatorValues(cluster));
});

test("an upgrade from the earlier chart touches no running pod, and injects into new ones", async () => {
  const chart = await earlierChart(folder.path);
  if (chart === undefined) {
    const why = `this clone has no commit ${EARLIER_COMMIT}: this chart upgrades itself`;
    process.stdout.write(`no earlier chart: ${why}\n`);
  }
  await helmOperator(cluster, "install", await earlierValues(), chart ?? operatorChart);
  await makeShop(cluster, namespace);
  await cluster.apply(injectedPod({ ...old, image }));
  const running = await waitForReady(cluster, old);

  const agent = { enabled: true };
  await helmOperator(cluster, "upgrade", { ...(await operatorValues(cluster)), agent });
  expect(containersOf(await readPod(cluster, old))).toEqual(containersOf(running));
  expect(await toldDigest(running)).toBe(digestOf(value));
  const fresh = { namespace, name: "fresh" };
  await cluster.apply(injectedPod({ ...fresh, image }));
  expect(await toldDigest(await waitForReady(cluster, fresh))).toBe(digestOf(value));
});

test("uninstall leaves only the objects that the guide names, and running pods", async () => {
  const running = await readPod(cluster, old);
  await uninstall();
  const left = (await objects()).filter((name) => !before.includes(name));
  expect(left).toEqual([...LEFT]);
  // On the node: folders of the agent, and its registry.
  expect(readdirSync("/run/svc")).toEqual([]);
  expect(readdirSync("/var/lib/svc").toSorted()).toEqual(["agent-registry", "agent-registry.lock"]);
  expect(existsSync("/sys/fs/bpf/svc")).toBe(false);
  expect(containersOf(await readPod(cluster, old))).toEqual(containersOf(running));
  expect(await toldDigest(running)).toBe(digestOf(value));
});

test("the policy that is left refuses pods that ask, until it is deleted as the guide says", async () => {
  const late = injectedPod({ namespace, name: "late", image });
  const refused = await cluster.tryApply(late);
  expect(refused.stderr).toContain("ValidatingAdmissionPolicy");
  await removeTheRest();
  expect(await objects()).toEqual(before);
});

/** The earlier chart names each image, copies the wrapper, and has no hints. */
async function earlierValues(): Promise<object> {
  const { registry } = cluster.state;
  const values = await operatorValues(cluster, {
    wrapperImage: `${registry}/svc-wrapper:${version}`,
    bundleSource: "copy",
  });
  const { registry: _, operator: now } = Object(values);
  const { evictPods: __, hints: ___, ...operator } = now;
  const { hintsVaultAddress: ____, ...settings } = operator.settings;
  const image = `${registry}/svc-operator:${version}`;
  return { operator: { ...operator, settings, image } };
}

async function uninstall(): Promise<void> {
  const words = ["uninstall", OPERATOR.release, "--namespace", OPERATOR.namespace];
  const anyway = ["--wait", "--ignore-not-found"];
  const { kubeconfig } = cluster.state;
  const { exitCode, stderr } = await runHelm([...words, ...anyway], { kubeconfig });
  if (exitCode !== 0) throw new TypeError(`helm uninstall: ${stderr}`);
  const isGone = async () => {
    const { items } = await cluster.get<{ items: readonly Pod[] }>(
      ...["pods", "-n", OPERATOR.namespace],
    );
    return items.length === 0;
  };
  await waitFor(isGone, { deadlineMs: 60_000, what: "the operator's pods to end" });
}

/** The commands of docs/guides/operator.md. */
async function removeTheRest(): Promise<void> {
  const definitions = ["svcconfigs.svc.internal", "svcpolicies.svc.internal"];
  await cluster.kubectl("delete", "crd", ...definitions, "--ignore-not-found");
  const policies = "validatingadmissionpolicybinding,validatingadmissionpolicy";
  await cluster.kubectl("delete", policies, "svcpolicies.svc.internal", "--ignore-not-found");
  await cluster.kubectl("delete", policies, OPERATOR.deployment, "--ignore-not-found");
}

/** The store's CronJob makes pods by itself; those of the story are its own. */
async function objects(): Promise<readonly string[]> {
  const all = await clusterObjects(cluster, ["vault", namespace]);
  return all.filter((name) => name !== `/Namespace/${namespace}`);
}

function containersOf({ status }: Pod): readonly (string | undefined)[] {
  return (status.containerStatuses ?? []).map(({ containerID }) => containerID);
}
