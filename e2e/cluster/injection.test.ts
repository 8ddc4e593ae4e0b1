import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { canary } from "@svc/testing";
import { searchEnvironments } from "./environments.ts";
import { type ApplicationImages, applicationImages } from "./images/application-images.ts";
import { type InjectedPod, injectedPod, injectedTemplate } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, POD_SECURITY, removeShop } from "./operator/injection-stage.ts";
import { digestOf, logged, toldDigest } from "./operator/told-digest.ts";
import { processesOf } from "./pod-processes.ts";
import { storyCluster } from "./story-cluster.ts";
import { waitForPod, waitForReady } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "images";
const strict = "restricted-shop";
let images: ApplicationImages;
let value: string;

beforeAll(async () => {
  images = await applicationImages(cluster.state);
  ({ value } = await injectionStage(cluster));
  await makeShop(cluster, namespace);
});

afterAll(async () => {
  for (const name of [namespace, strict]) await removeShop(cluster, name);
});

type AskedInjection = Omit<InjectedPod, "namespace" | "name">;

describe("a pod that asks gets its secret from", () => {
  const served: Readonly<Record<string, () => AskedInjection>> = {
    "an image with only an ENTRYPOINT": () => ({ image: images.scratch }),
    "a static Go program on scratch": () => ({
      image: images.scratch,
      container: { command: ["/teller"], args: ["serve"] },
    }),
    "a shell script as ENTRYPOINT, and a CMD": () => ({ image: images.shell }),
    "a shell script as ENTRYPOINT, and arguments of the pod": () => ({
      image: images.shell,
      container: { args: ["serve"] },
    }),
    "a command that is a shell's line": () => ({
      image: images.shell,
      container: { command: ["sh", "-c", "true; exec /bin/teller serve"] },
    }),
  };
  for (const [index, [what, wanted]] of Object.entries(served).entries()) {
    test.concurrent(what, async () => {
      const pod = { namespace, name: `served-${index}` };
      await cluster.apply(injectedPod({ ...pod, ...wanted() }));
      const ready = await waitForReady(cluster, pod);
      expect(await toldDigest(ready)).toBe(digestOf(value));
    });
  }

  test.concurrent("an Alpine-like image with only a CMD", async () => {
    const pod = { namespace, name: "alpine" };
    await cluster.apply(injectedPod({ ...pod, image: images.alpine }));
    await waitForReady(cluster, pod);
    expect(digestOf(await logged(cluster, pod, "app", "start"))).toBe(digestOf(value));
  });
});

describe("containers that are not alone", () => {
  test.concurrent("a Job completes, and its pod ends with its program's status", async () => {
    const pod = { namespace, name: "once" };
    const template = injectedTemplate(
      {
        ...{ ...pod, image: images.scratch },
        container: { command: ["/teller", "once"] },
        spec: { restartPolicy: "Never" },
      },
      { job: "once" },
    );
    await cluster.apply({
      ...{ apiVersion: "batch/v1", kind: "Job", metadata: pod },
      spec: { backoffLimit: 0, template },
    });
    const done = ["--for=condition=Complete", "job/once", "-n", namespace, "--timeout=5m"];
    await cluster.kubectl("wait", ...done);
    const logs = await cluster.kubectl("logs", "job/once", "-n", namespace, "-c", "app");
    expect(logs).toContain(`digest ${digestOf(value)}\n`);
  });

  test.concurrent("init containers, native sidecars and programs each get it", async () => {
    const pod = { namespace, name: "together" };
    await cluster.apply(
      injectedPod({
        ...{ ...pod, image: images.alpine },
        annotations: { "inject-init-containers": "true" },
        spec: {
          initContainers: [
            { name: "first", image: images.scratch, command: ["/teller", "once"] },
            { name: "sidecar", image: images.scratch, restartPolicy: "Always" },
          ],
        },
      }),
    );
    const ready = await waitForReady(cluster, pod);
    expect(await logged(cluster, pod, "first", "digest")).toBe(digestOf(value));
    expect(await toldDigest(ready)).toBe(digestOf(value));
    expect(digestOf(await logged(cluster, pod, "app", "start"))).toBe(digestOf(value));
  });
});

describe("a pod with few rights", () => {
  const few = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    runAsUser: 1000,
    seccompProfile: { type: "RuntimeDefault" },
  };

  test.concurrent("runs in a namespace in which only pods of the standard restricted may", async () => {
    await makeShop(cluster, strict, { labels: { [`${POD_SECURITY}/enforce`]: "restricted" } });
    const pod = { namespace: strict, name: "strict" };
    const without = injectedPod({ ...pod, image: images.scratch });
    expect((await cluster.tryApply(without)).stderr).toContain("violates PodSecurity");
    const container = { securityContext: few };
    await cluster.apply(injectedPod({ ...pod, image: images.scratch, container }));
    const ready = await waitForReady(cluster, pod);
    expect(await toldDigest(ready)).toBe(digestOf(value));
  });

  test.concurrent("has a secret as a file, by a descriptor", async () => {
    const pod = { namespace: strict, name: "reads-a-file" };
    const digest = 'echo "digest $(busybox sha256sum < "$PASSWORD_FILE" | head -c 64)"';
    const container = {
      command: ["/bin/sh", "-c", `${digest}; exec sleep 100000`],
      securityContext: few,
    };
    const annotations = { "file-map": "password=/run/app/password#any-path#env=PASSWORD_FILE" };
    await makeShop(cluster, strict, { labels: { [`${POD_SECURITY}/enforce`]: "restricted" } });
    await cluster.apply(injectedPod({ ...pod, image: images.shell, container, annotations }));
    await waitForPod(cluster, pod, ({ status }) => status.phase === "Running", "to run");
    expect(await logged(cluster, pod, "app", "digest")).toBe(digestOf(value));
  });

  test.concurrent("has processes of its user only, and none with a capability", async () => {
    const pod = { namespace, name: "plain-user" };
    const container = { securityContext: { runAsUser: 1000, capabilities: { drop: ["ALL"] } } };
    await cluster.apply(injectedPod({ ...pod, image: images.shell, container }));
    const ready = await waitForReady(cluster, pod);
    expect(await toldDigest(ready)).toBe(digestOf(value));
    const processes = processesOf(ready.metadata.uid);
    expect(processes.map(({ name }) => name)).toContain("teller");
    for (const { name, user, capabilities } of processes) {
      expect({ name, user, capabilities }).toEqual({ name, user: 1000, capabilities: 0n });
    }
  });
});

test("no process of the machine has a value in its environment", async () => {
  const control = canary();
  const holder = Bun.spawn(["sleep", "600"], { env: { PATH: "/usr/bin:/bin", HOLDS: control } });
  try {
    // The search finds the value in the control's process: otherwise it would prove nothing.
    expect(searchEnvironments(control).found).toMatchObject([{ pid: String(holder.pid) }]);
    const { read, found } = searchEnvironments(value);
    expect(found).toEqual([]);
    expect(read).toBeGreaterThan(20);
  } finally {
    holder.kill("SIGKILL");
  }
});
