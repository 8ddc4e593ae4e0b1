import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { waitFor } from "@svc/testing";
import {
  type AgentEvent,
  agentStatus,
  findEvent,
  installAgent,
  removeAgent,
  toldEvent,
  toldEvents,
} from "./agent/agent-release.ts";
import { applicationImages } from "./images/application-images.ts";
import { injectedPod } from "./operator/injected-pod.ts";
import { injectionStage, makeShop, removeShop } from "./operator/injection-stage.ts";
import { digestOf, toldDigest } from "./operator/told-digest.ts";
import { processesOf } from "./pod-processes.ts";
import { tryTool } from "./run-tool.ts";
import { storyCluster } from "./story-cluster.ts";
import { type Pod, readPod, waitForReady } from "./wait-for-pods.ts";

const cluster = storyCluster();
const namespace = "watched";
const pod = { namespace, name: "target" };
const alone = { namespace, name: "alone" };
let value: string;
let target: Pod;

beforeAll(async () => {
  const { shell: image } = await applicationImages(cluster.state);
  ({ value } = await injectionStage(cluster));
  await makeShop(cluster, namespace);
  await installAgent(cluster);
  const { readiness, kernel } = await agentStatus(cluster);
  process.stdout.write(`the agent sees by ${readiness.tier} on Linux ${kernel.kernel}\n`);
  await cluster.apply(
    injectedPod({
      ...{ ...pod, image },
      annotations: { ebpf: "true", "skip-containers": "sibling" },
      spec: {
        // Otherwise the sibling could not name the other's processes.
        shareProcessNamespace: true,
        containers: [
          { name: "app", image },
          { name: "sibling", image, command: ["sleep", "100000"] },
        ],
      },
    }),
  );
  await cluster.apply(injectedPod({ ...alone, image, annotations: { ebpf: "true" } }));
  target = await waitForReady(cluster, pod);
  await waitForReady(cluster, alone);
  expect(await toldDigest(target)).toBe(digestOf(value));
});

afterAll(async () => {
  await removeShop(cluster, namespace);
  await removeAgent(cluster);
});

/** Opens the memory of every teller that it sees, and reads a byte. */
const theft = `
for process in /proc/[0-9]*; do
  read -r name < $process/comm || continue
  if [ "$name" = teller ]; then head -c 1 $process/mem; fi
done`;

describe("the agent reports theft", () => {
  test("from the host: its actor is in no pod", async () => {
    const victim = processesOf(target.metadata.uid).find(({ name }) => name === "teller");
    const thief = Bun.spawn(["head", "-c", "1", `/proc/${victim?.pid}/mem`], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    await thief.exited;
    const event = await toldEvent(
      cluster,
      ({ actor, file }) => actor?.pid === thief.pid && file === "mem",
      "the host's theft",
    );
    expect(event.actor?.cgroup?.podUid).toBeUndefined();
    isAboutTarget(event);
    expect(event.target?.pid).toBe(victim?.pid ?? 0);
  });

  for (const [from, container] of [
    ["kubectl exec", "app"],
    ["a sibling container", "sibling"],
  ] as const) {
    test(`from ${from}: its actor is in that container of the pod`, async () => {
      await steal(container);
      const id = await idOf(container);
      const event = await toldEvent(
        cluster,
        ({ actor, file }) => actor?.cgroup?.containerId === id && file === "mem",
        `theft from ${from}`,
      );
      expect(event.actor?.cgroup?.podUid).toBe(target.metadata.uid);
      isAboutTarget(event);
    });
  }
});

describe("the file of the token that a pod's wrapper logs in with", () => {
  const place = ["exec", "alone", "-n", namespace, "-c", "app", "--"];

  test("is watched: a shell of kubectl exec that reads it is an event", async () => {
    const { metadata, status } = await readPod(cluster, alone);
    const read = await tryTool(["kubectl", ...place, "sh", "-c", 'cat "$SVC_AUTH_JWT_PATH"']);
    expect(read).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^eyJ/) });
    const event = await toldEvent(cluster, ({ kind }) => kind === "token_file", "the token's file");
    expect(event).toMatchObject({
      decision: "observed",
      actor: { cgroup: { podUid: metadata.uid } },
      registration: { podUid: metadata.uid, podName: "alone", namespace, container: "app" },
    });
    expect(status.phase).toBe("Running");
  });

  test("is read by the kubelet and the wrapper without an event", async () => {
    // A change of the pod has the kubelet set up its volumes again, and compare their files.
    const { metadata } = await readPod(cluster, alone);
    await cluster.kubectl("annotate", "pod", "alone", "-n", namespace, "example.com/touched=yes");
    await Bun.sleep(15_000);
    const others = (await toldEvents(cluster)).filter(
      ({ kind, actor }) => kind === "token_file" && actor?.cgroup?.podUid !== metadata.uid,
    );
    expect(others).toEqual([]);
  });
});

describe("with ENFORCE_MODE", () => {
  test("theft is refused, or the thief killed, as far as this kernel can", async () => {
    await installAgent(cluster, { enforceMode: true });
    const { enforcement, readiness, kernel } = await agentStatus(cluster);
    const { does } = enforcement;
    const place = `Linux ${kernel.kernel} with ${readiness.tier}`;
    process.stdout.write(`${place}: the agent can ${does === "none" ? "only look" : does}\n`);
    const decision = { refuse: "blocked", kill: "killed", none: "observed" }[does];
    // The wrapper registers its program again with the new agent, some seconds after it started.
    const event = await stolenUntil("sibling", decision);
    isAboutTarget(event);
    expect(await toldDigest(target)).toBe(digestOf(value));
    expect((await readPod(cluster, pod)).status.containerStatuses).toMatchObject([
      { restartCount: 0 },
      { restartCount: 0 },
    ]);
  });

  test("a detecting agent takes over, and ends the enforcement of the other", async () => {
    await installAgent(cluster);
    expect((await agentStatus(cluster)).enforcement.does).toBe("none");
    expect(existsSync("/sys/fs/bpf/svc")).toBe(false);
    isAboutTarget(await stolenUntil("app", "observed"));
  });
});

/**
 * Steals until the agent has reported it with the decision: before, it may not know the program.
 */
async function stolenUntil(container: string, decision: string): Promise<AgentEvent> {
  const id = await idOf(container);
  const told = async () => {
    await steal(container);
    return findEvent(
      cluster,
      (event) => event.actor?.cgroup?.containerId === id && event.decision === decision,
    );
  };
  return waitFor(told, { deadlineMs: 30_000, what: `theft that is ${decision}` });
}

async function steal(container: string): Promise<void> {
  const place = ["exec", "target", "-n", namespace, "-c", container];
  // Its status proves nothing: the attempt may fail, and the agent may kill the process.
  await tryTool(["kubectl", ...place, "--", "sh", "-c", theft]);
}

async function idOf(container: string): Promise<string | undefined> {
  const found = target.status.containerStatuses?.find(({ name }) => name === container);
  return found?.containerID?.replace(/^.*\/\//, "");
}

function isAboutTarget({ target: told }: AgentEvent): void {
  expect(told?.registration).toMatchObject({
    podUid: target.metadata.uid,
    podName: "target",
    namespace,
    container: "app",
  });
}
