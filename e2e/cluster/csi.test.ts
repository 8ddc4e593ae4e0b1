import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";
import {
  agentStatus,
  installAgent,
  removeAgent,
  restartAgent,
  toldEvent,
} from "./agent/agent-release.ts";
import { applicationImages } from "./images/application-images.ts";
import { injectedPod } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, POD_SECURITY } from "./operator/injection-stage.ts";
import { digestOf, toldDigest } from "./operator/told-digest.ts";
import { tryTool } from "./run-tool.ts";
import { storyCluster } from "./story-cluster.ts";
import { type Pod, readPod, waitForReady } from "./wait-for-pods.ts";

// The agent is a CSI driver: pods of the strictest level have the wrapper and the agent's socket.
const cluster = storyCluster();
const namespace = "hardened";
const KUBELET = "/var/lib/kubelet";
const first = { namespace, name: "first" };
const second = { namespace, name: "second" };
/** The demands of the pod security level `restricted`. */
const hardened = {
  securityContext: {
    ...{ allowPrivilegeEscalation: false, runAsNonRoot: true, runAsUser: 1000 },
    ...{ readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    seccompProfile: { type: "RuntimeDefault" },
  },
};
let value: string;
let image: string;
let pod: Pod;

beforeAll(async () => {
  ({ shell: image } = await applicationImages(cluster.state));
  ({ value } = await injectionStage(cluster));
  await installAgent(cluster, {}, { bundleSource: "csi", tokenSource: "agent" });
  await makeShop(cluster, namespace, { labels: { [`${POD_SECURITY}/enforce`]: "restricted" } });
  await apply(first);
  await apply(second);
  pod = await waitForReady(cluster, first);
  await waitForReady(cluster, second);
});

afterAll(async () => {
  // Volumes are removed by the driver: it has to be there until the last pod is gone.
  await cluster.kubectl("delete", "namespace", namespace, "--timeout=120s");
  await removeAgent(cluster);
});

describe("a pod of the level `restricted`, with the agent as its CSI driver,", () => {
  test("has its secrets, one volume, no init container and no folder of the node", async () => {
    expect(await toldDigest(pod)).toBe(digestOf(value));
    const { volumes, initContainers } = Object((await readPod(cluster, first)).spec);
    const kinds = Object(volumes).map((volume: object) => Object.keys(volume).toSorted().join());
    expect(kinds.filter((kind: string) => kind.includes("csi"))).toEqual(["csi,name"]);
    expect(JSON.stringify(volumes)).not.toContain("hostPath");
    expect(initContainers).toBeUndefined();
  });

  test("shares the wrapper's pages with every other pod", async () => {
    const other = await readPod(cluster, second);
    const [one, two] = [pod, other].map(({ metadata }) => {
      return statSync(join(volumeOf(metadata.uid), "bin/svc-wrapper"));
    });
    expect(one?.ino).toBe(two?.ino ?? 0);
    expect(one?.nlink).toBeGreaterThanOrEqual(3);
  });

  test("cannot write to the wrapper", async () => {
    const words = ["exec", "first", "-n", namespace, "-c", "app", "--"];
    const written = await tryTool(["kubectl", ...words, "sh", "-c", "echo >/opt/svc/bin/new"]);
    expect(written.exitCode).not.toBe(0);
    expect(readdirSync(volumeOf(pod.metadata.uid))).not.toContain("new");
  });

  test("has logged in by the agent, and has no file with a token for the vault", async () => {
    const { volumes, containers } = Object((await readPod(cluster, first)).spec);
    const audiences = JSON.stringify(volumes).match(/"audience":"[^"]*"/g);
    // It opens nothing but the operator's permits.
    expect(audiences).toEqual(['"audience":"svc-rotation-permits"']);
    expect(JSON.stringify(containers)).toContain("unix:///opt/svc/login.sock");
  });

  test("gives a shell in the container no token, and the agent reports it", async () => {
    const ask = [
      ...["exec", "first", "-n", namespace, "-c", "app", "--"],
      // Another wrapper is not the first process of the container.
      ...["sh", "-c", "HEALTH_ADDR=off exec /opt/svc/bin/svc-wrapper -- true"],
    ];
    const asked = await tryTool(["kubectl", ...ask]);
    expect(asked.exitCode).not.toBe(0);
    expect(asked.stderr).toContain("AGENT_GIVES_NO_TOKEN");
    const event = await toldEvent(
      cluster,
      ({ kind }) => kind === "agent_refused_login",
      "the refused login",
    );
    expect(event).toMatchObject({
      reason: "it is not the first process of a container",
      actor: { podUid: pod.metadata.uid },
    });
  });

  test("is watched", async () => {
    await isWatched();
  });

  test("is watched by a later agent, and its program has not been started again", async () => {
    await restartAgent(cluster);
    await isWatched();
    const { containerStatuses } = (await readPod(cluster, first)).status;
    expect(containerStatuses).toMatchObject([{ restartCount: 0 }]);
    expect(await toldDigest(pod)).toBe(digestOf(value));
  });
});

test("a pod that wants to write to the volume does not start, and its events say why", async () => {
  const volumes = [{ name: "svc", csi: { driver: "csi.svc.internal", readOnly: false } }];
  const container = {
    ...{ name: "app", image, ...hardened, command: ["sleep", "1000"] },
    volumeMounts: [{ name: "svc", mountPath: "/opt/svc" }],
  };
  await cluster.apply({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace, name: "writer" } },
    spec: { containers: [container], volumes },
  });
  const isTold = async () => {
    const { stdout } = await cluster.tryKubectl("describe", "pod", "writer", "-n", namespace);
    return stdout.includes("wanted `readOnly: true`, found false");
  };
  await waitFor(isTold, { deadlineMs: 60_000, what: "the kubelet's word of the refusal" });
  await cluster.kubectl("delete", "pod", "writer", "-n", namespace, "--wait=false");
});

test("a pod that ends leaves nothing on the node", async () => {
  const { uid } = pod.metadata;
  expect(existsSync(volumeOf(uid))).toBe(true);
  await cluster.kubectl("delete", "pod", "first", "-n", namespace, "--timeout=60s");
  const isGone = () => !existsSync(join(KUBELET, "pods", uid));
  await waitFor(isGone, { deadlineMs: 120_000, what: "the folder of the pod to go" });
  // Volumes of others stay.
  expect(existsSync(volumeOf((await readPod(cluster, second)).metadata.uid))).toBe(true);
});

async function apply(name: typeof first): Promise<void> {
  await cluster.apply(
    injectedPod({ ...name, image, container: hardened, annotations: { ebpf: "true" } }),
  );
}

function volumeOf(uid: string): string {
  return join(KUBELET, "pods", uid, "volumes/kubernetes.io~csi/svc-bundle/mount");
}

/** Reads the program's memory until the agent has told whose it is. */
async function isWatched(): Promise<void> {
  expect((await agentStatus(cluster)).readiness.tier).not.toBe("none");
  const theft = `for process in /proc/[0-9]*; do head -c 1 $process/mem; done`;
  const steal = ["exec", "first", "-n", namespace, "-c", "app", "--", "sh", "-c", theft];
  const stolen = async () => {
    await tryTool(["kubectl", ...steal]);
    return toldEvent(
      cluster,
      ({ target }) => target?.registration?.podUid === pod.metadata.uid,
      "theft in the pod",
    ).catch(() => undefined);
  };
  const event = await waitFor(stolen, { deadlineMs: 120_000, what: "word of the theft" });
  expect(event.target?.registration).toMatchObject({
    ...{ podName: "first", namespace, container: "app" },
  });
}
