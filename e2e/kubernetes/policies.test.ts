import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  answerPart,
  answerText,
  applyObject,
  askKubernetes,
  callKubernetes,
  type Kubernetes,
  startAttackVictim,
  startKubernetes,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { placedCgroup } from "../harness/agent/pod-cgroup.ts";
import { type RunningAgent, startAgent } from "../harness/agent/running-agent.ts";
import { renderOperatorChart, withValues } from "../harness/kubernetes/operator-chart.ts";

const TIMEOUT_MS = 240_000;
const POLICIES = "/apis/svc.internal/v1alpha1/svcpolicies";
const NODE = "node-1";
const started = new AsyncDisposableStack();
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);

interface Story {
  readonly kube: Kubernetes;
  /** The token of the agent's service account. */
  readonly token: string;
  readonly agent: RunningAgent;
  readonly victim: { readonly pid: number };
  /** UIDs of pods by `namespace/label`. */
  readonly uids: ReadonlyMap<string, string>;
}
let running: Story | undefined;
const story = (): Story => {
  if (running === undefined) throw new TypeError("the story did not start");
  return running;
};

/** Mounts the files of the agent's account, as a kubelet does. */
const asPod = `
mount -t tmpfs tmpfs /run
mkdir -p /run/secrets/kubernetes.io/serviceaccount
cp "$1/token" "$1/ca.crt" /run/secrets/kubernetes.io/serviceaccount
shift
exec "$@"`;

beforeAll(async () => {
  const kube = started.use(await startKubernetes());
  await installChart(kube);
  const token = await tokenOfAgent(kube);
  const uids = new Map<string, string>();
  for (const [namespace, app, node] of [
    ["backup", "agent", NODE],
    ["backup", "web", NODE],
    ["backup", "agent", "node-2"],
    ["shop", "agent", NODE],
  ] as const) {
    uids.set(`${namespace}/${app}/${node}`, await createPod(kube, { namespace, app, node }));
  }
  writeFileSync(at("token"), token);
  writeFileSync(at("ca.crt"), kube.caPem);
  writeFileSync(at("policies.yaml"), "policies: []", { mode: 0o600 });
  const { hostname, port } = new URL(kube.address);
  const environment = {
    ENFORCE_MODE: "true",
    POLICY_RESOURCES: "true",
    POLICY_FILE: at("policies.yaml"),
    NODE_NAME: NODE,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
  };
  const within = (words: readonly string[]) => [
    ...["unshare", "--mount", "sh", "-ec", asPod, "sh", folder.path, ...words],
  ];
  const agent = started.use(await startAgent(folder.path, environment, within));
  const victim = started.use(await startAttackVictim());
  await agent.protect(victim.pid);
  running = { kube, token, agent, victim, uids };
}, TIMEOUT_MS);
afterAll(async () => {
  await started.disposeAsync();
  folder[Symbol.dispose]();
});

describe("the API server takes", () => {
  const taken: Readonly<Record<string, object>> = {
    "a SvcPolicy with every field": {
      reason: "the on-call group debugs payments",
      mode: "dry-run",
      expires: "2030-01-31T18:00:00Z",
      attempts: ["ptrace", "module_load"],
      who: {
        executables: [{ path: "/usr/bin/gdb", sha256: "ab".repeat(32) }],
        units: ["backup@1.service"],
        users: [0, 4_294_967_294],
        groups: [4000],
      },
    },
    "one of pods": {
      reason: "r",
      who: { pods: [{ namespace: "a", matchLabels: { "a.b/c": "" } }, { namespace: "b" }] },
    },
  };
  for (const [name, spec] of Object.entries(taken)) {
    test(name, async () => {
      const { status, body } = await judge(spec);
      expect([status, body?.["message"]]).toEqual([201, undefined]);
    });
  }
});

describe("the API server refuses", () => {
  const pod = { namespace: "a" };
  const refused: Readonly<Record<string, readonly [spec: object, found: string]>> = {
    "no reason": [{ who: { users: [0] } }, "spec.reason: Required value"],
    "an empty reason": [{ reason: " ", who: { users: [0] } }, "spec.reason"],
    "nobody named": [{ who: {} }, "must name executables, units, pods, users or groups"],
    "an empty list": [{ who: { users: [] } }, "spec.who.users"],
    "a user's name": [{ who: { users: ["root"] } }, "spec.who.users[0]"],
    "an unknown mode": [{ mode: "off", who: { users: [0] } }, "spec.mode: Unsupported value"],
    tampering: [{ attempts: ["agent_tampering"], who: { users: [0] } }, "spec.attempts[0]"],
    "an end without a time": [{ expires: "soon", who: { users: [0] } }, "spec.expires"],
    "pods and units": [{ who: { pods: [pod], units: ["a.service"] } }, "beside pods"],
    "a pod without a namespace": [{ who: { pods: [{}] } }, "spec.who.pods[0].namespace"],
    "a short digest": [{ who: { executables: [{ path: "/a", sha256: "a" }] } }, "sha256"],
    "a misspelt field": [{ expire: "2030-01-31T18:00:00Z", who: { users: [0] } }, "spec: must"],
    "a misspelt list": [{ who: { users: [0], unit: ["a.service"] } }, "spec.who: must have no"],
    "misspelt labels": [{ who: { pods: [{ ...pod, labels: {} }] } }, "spec.who.pods: must have"],
  };
  for (const [name, [spec, found]] of Object.entries(refused)) {
    test(name, async () => {
      // It begins to follow an admission policy a moment after that was made.
      const { status, body } = await waitFor(
        async () => {
          const answer = await judge({ ...(name !== "no reason" && { reason: "r" }), ...spec });
          return answer.status === 201 ? undefined : answer;
        },
        { deadlineMs: 30_000, what: "a refusal" },
      );
      expect(status).toBe(422);
      expect(String(body?.["message"])).toContain(found);
    });
  }
});

test("the agent's account may list and watch, and nothing else", async () => {
  const { kube, token } = story();
  const as = { ...kube, token };
  const ask = async (method: "GET" | "DELETE", path: string) =>
    (await askKubernetes(as, { method, path })).status;
  expect(await ask("GET", POLICIES)).toBe(200);
  expect(await ask("GET", "/api/v1/namespaces/backup/pods")).toBe(200);
  expect(await ask("DELETE", `${POLICIES}/none`)).toBe(403);
  expect(await ask("GET", "/api/v1/namespaces/backup/secrets")).toBe(403);
  expect(await ask("GET", "/api/v1/nodes")).toBe(403);
});

describe("a SvcPolicy of pods", () => {
  const backup = {
    reason: "r",
    who: { pods: [{ namespace: "backup", matchLabels: { app: "agent" } }] },
  };
  const stopped = { ran: false, policy: undefined };

  test("lets a process of such a pod through, and the event names it", async () => {
    const own = uidOf("backup/agent");
    expect(await attemptIn(["kubepods", "burstable", `pod${own}`, container])).toEqual(stopped);
    await create("backup", backup);
    await waitFor(
      async () =>
        (await policiesOf()).find(({ name, pods }) => name === "svcpolicy/backup" && pods === 1),
      { deadlineMs: 30_000, what: "the policy" },
    );
    const allowed = { ran: true, policy: "svcpolicy/backup" };
    expect(await attemptIn(["kubepods", "burstable", `pod${own}`, container])).toEqual(allowed);
    const escaped = own.replaceAll("-", "_");
    const bySystemd = [
      ...["kubepods.slice", "kubepods-besteffort.slice"],
      ...[`kubepods-besteffort-pod${escaped}.slice`, `cri-containerd-${container}.scope`],
    ];
    expect(await attemptIn(bySystemd)).toEqual(allowed);
  });

  test("lets no other pod through, and no folder that a user or a container calls so", async () => {
    const own = `pod${uidOf("backup/agent")}`;
    for (const other of ["backup/web", "shop/agent"]) {
      expect(await attemptIn(["kubepods", `pod${uidOf(other)}`, container])).toEqual(stopped);
    }
    expect(
      await attemptIn(["kubepods", `pod${uidOf("backup/agent", "node-2")}`, container]),
    ).toEqual(stopped);
    expect(await attemptIn(["user.slice", "kubepods", own])).toEqual(stopped);
    const inOther = ["kubepods", `pod${uidOf("shop/agent")}`, container, "kubepods", own];
    expect(await attemptIn(inOther)).toEqual(stopped);
  });

  test("lets a pod through that comes later, and no pod any more when it is deleted", async () => {
    const place = { namespace: "backup", app: "agent", node: NODE };
    const uid = await createPod(story().kube, place);
    await waitFor(async () => (await policiesOf()).some(({ pods }) => pods === 2), {
      ...{ deadlineMs: 30_000, what: "the new pod" },
    });
    const folders = ["kubepods", `pod${uid}`, container];
    expect(await attemptIn(folders)).toEqual({ ran: true, policy: "svcpolicy/backup" });
    await callKubernetes(story().kube, { method: "DELETE", path: `${POLICIES}/backup` });
    await waitFor(async () => (await policiesOf()).length === 0, {
      ...{ deadlineMs: 30_000, what: "the policy to go" },
    });
    expect(await attemptIn(folders)).toEqual(stopped);
  });
});

test("a mistake in one source keeps the whole set back, and /status has all mistakes", async () => {
  writeFileSync(at("policies.yaml"), JSON.stringify({ policies: [{ name: "A B", mode: "off" }] }));
  chmodSync(at("policies.yaml"), 0o600);
  const { problems } = await waitFor(
    async () => {
      const { policies } = await statusOf();
      return policies.problems.length > 0 ? policies : undefined;
    },
    { deadlineMs: 30_000, what: "the mistakes" },
  );
  for (const field of ["name", "reason", "mode", "who"]) {
    expect(JSON.stringify(problems)).toContain(`policies[0].${field}: wanted`);
  }
  await create("users", { reason: "r", who: { users: [12_345] } });
  const sees = async () => (await statusOf()).policies.resources.heardSecondsAgo === 0;
  await waitFor(sees, { deadlineMs: 120_000, what: "word of the SvcPolicy" });
  expect(await policiesOf()).toEqual([]);
  writeFileSync(at("policies.yaml"), "policies: []");
  await waitFor(async () => (await policiesOf()).some(({ name }) => name === "svcpolicy/users"), {
    ...{ deadlineMs: 30_000, what: "the set" },
  });
});

const container = "cd".repeat(32);

async function installChart(kube: Kubernetes): Promise<void> {
  const settings = { enforceMode: true };
  const agent = { enabled: true, image: "registry.test/agent:1", settings };
  const objects = await renderOperatorChart(withValues({ agent }));
  const wanted = objects.filter(
    ({ kind, metadata: { name } }) =>
      name.includes("svcpolicies") ||
      name === "svc-agent-policies" ||
      (name === "svc-agent" && (kind === "Namespace" || kind === "ServiceAccount")),
  );
  expect(wanted.map(({ kind }) => kind).toSorted()).toEqual([
    ...["ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace"],
    ...["ServiceAccount", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
  ]);
  for (const kind of ["Namespace", "CustomResourceDefinition", ""]) {
    for (const object of wanted.filter((one) => kind === "" || one.kind === kind)) {
      await applyObject(kube, object);
    }
  }
  for (const name of ["backup", "shop"]) {
    await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const metadata = { name: "app", namespace: name };
    await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  }
  const isServed = async () =>
    (await askKubernetes(kube, { method: "GET", path: POLICIES })).status === 200;
  await waitFor(isServed, { deadlineMs: 20_000, what: "the definition to be served" });
}

async function tokenOfAgent(kube: Kubernetes): Promise<string> {
  const made = await callKubernetes(kube, {
    method: "POST",
    path: "/api/v1/namespaces/svc-agent/serviceaccounts/svc-agent/token",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  return answerText(answerPart(made, "status"), "token");
}

interface PodPlace {
  readonly namespace: string;
  readonly app: string;
  readonly node: string;
}

async function createPod(kube: Kubernetes, { namespace, app, node }: PodPlace): Promise<string> {
  const made = await callKubernetes(kube, {
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/pods`,
    body: {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { generateName: `${app}-`, labels: { app } } },
      spec: {
        ...{ serviceAccountName: "app", nodeName: node },
        containers: [{ name: "app", image: "app" }],
      },
    },
  });
  return answerText(answerPart(made, "metadata"), "uid");
}

function uidOf(pod: string, node = NODE): string {
  return story().uids.get(`${pod}/${node}`) ?? "";
}

function judge(spec: object) {
  return askKubernetes(story().kube, {
    method: "POST",
    path: `${POLICIES}?dryRun=All`,
    body: policyOf("judged", spec),
  });
}

function create(name: string, spec: object) {
  const body = policyOf(name, spec);
  return callKubernetes(story().kube, { method: "POST", path: POLICIES, body });
}

function policyOf(name: string, spec: object) {
  return { apiVersion: "svc.internal/v1alpha1", kind: "SvcPolicy", metadata: { name }, spec };
}

interface ShownPolicy {
  readonly name: string;
  readonly pods?: number;
}

async function statusOf() {
  const { body } = await story().agent.ask("/status");
  return JSON.parse(body);
}

async function policiesOf(): Promise<readonly ShownPolicy[]> {
  return (await statusOf()).policies.policies;
}

/**
 * Opens the victim's memory from a control group; tells whether that went well, and by which
 * policy.
 */
async function attemptIn(folders: readonly string[]) {
  const { agent, victim } = story();
  await using cgroup = placedCgroup(folders);
  const words = ["dd", `if=/proc/${victim.pid}/mem`, "of=/dev/null", "count=0"];
  const child = Bun.spawn([...cgroup.command(...words)], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  await child.exited;
  const told = await waitFor(
    () => agent.records().find(({ actor, target }) => Object(actor).pid === child.pid && target),
    { deadlineMs: 30_000, what: `word of ${child.pid}` },
  );
  return { ran: child.exitCode === 0, policy: Object(told["policy"]).name };
}
