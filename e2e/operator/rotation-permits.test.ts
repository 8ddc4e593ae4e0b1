import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { applyObject, askKubernetes, callKubernetes, freePort, waitFor } from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import { askingPod, createPod, variableIn } from "./created-pods.ts";
import { ownAddress } from "./own-address.ts";
import { permitWorkload, type WorkloadPod } from "./permit-workload.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const NAME = "svc-operator.svc-system.svc";
const ports = [freePort(), freePort()] as const;
let operator: RunningOperator;
let authorityPem: string;

beforeAll(async () => {
  const values = withValues({ operator: { evictPods: true } });
  operator = await runningOperator({ values, replicas: 0 });
  for (const port of ports) {
    const listen = `--permits-listen-addr=${ownAddress()}:${port}`;
    await operator.startReady({ flags: [listen] });
  }
  await applyObject(operator.kube, {
    ...{ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  });
  await applyObject(operator.kube, {
    ...{ apiVersion: "v1", kind: "ServiceAccount" },
    metadata: { namespace: "shop", name: "default" },
  });
  const pod = await createPod(operator.kube, askingPod(), { dryRun: true });
  authorityPem = variableIn(pod, "SVC_PERMITS_CACERT_BYTES") ?? "";
}, 120_000);
afterAll(() => operator[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Asks one of the two replicas, as a wrapper does. */
async function post(question: object, replica = 0): Promise<Answer> {
  const response = await fetch(`https://${ownAddress()}:${ports[replica]}/v1/rotation-permits`, {
    method: "POST",
    body: JSON.stringify(question),
    tls: { ca: authorityPem, serverName: NAME },
    headers: { "Content-Type": "application/json", Host: NAME, Connection: "close" },
  });
  return { status: response.status, body: Object(await response.json()) };
}

async function ask(pod: WorkloadPod, replica = 0, more: object = {}): Promise<string> {
  const { status, body } = await post(
    { token: pod.token, say: "ask", by: "program", ...more },
    replica,
  );
  expect([status, body]).toEqual([200, expect.objectContaining({ decision: expect.any(String) })]);
  return String(body["decision"]);
}

async function tell(pod: WorkloadPod, say: "done" | "kept"): Promise<void> {
  expect((await post({ token: pod.token, say, by: "program" })).status).toBe(200);
}

/** Asks until the pod may go; after each decision the operator repeats it for a second. */
async function goes(pod: WorkloadPod, replica = 0): Promise<void> {
  await waitFor(async () => (await ask(pod, replica)) === "go" || undefined, {
    deadlineMs: 30_000,
    what: `${pod.name} to get a permit`,
  });
}

test("a pod is given the address, the authority and a token for permits", async () => {
  const pod = await createPod(operator.kube, askingPod(), { dryRun: true });
  // One of the two replicas was asked.
  expect(variableIn(pod, "SVC_PERMITS_ADDR")).toMatch(
    new RegExp(`^https://${NAME}:(${ports.join("|")})$`),
  );
  expect(authorityPem).toContain("-----BEGIN CERTIFICATE-----");
  const volumes: readonly unknown[] = Object(pod.body["spec"]).volumes;
  const tokens = volumes.flatMap((volume) => Object(volume).projected?.sources ?? []);
  const audiences = tokens.map((source: unknown) => Object(source).serviceAccountToken?.audience);
  expect(audiences).toContain("svc-rotation-permits");
});

test("a pod that is signalled, or never rotated, is given none of it", async () => {
  for (const rotation of ["sighup", "none"]) {
    const asking = askingPod({ "svc.internal/rotation": rotation });
    const pod = await createPod(operator.kube, asking, { dryRun: true });
    expect(variableIn(pod, "SVC_PERMITS_ADDR")).toBeUndefined();
  }
});

test("the pods of a workload go one after the other, at each replica of the operator", async () => {
  const { kube } = operator;
  const wanted = { namespace: "shop", name: "web", replicas: 3, maxUnavailable: "25%" };
  const { pods, setAvailable } = await permitWorkload(kube, wanted);
  const [first, second, third] = pods;
  if (first === undefined || second === undefined || third === undefined) throw new TypeError();
  await goes(first);
  expect([await ask(second, 1), await ask(third, 0)]).toEqual(["wait", "wait"]);
  // A lost answer is given again.
  expect(await ask(first, 1)).toBe("go");
  await first.setReady(false);
  await setAvailable(2);
  await tell(first, "done");
  await Bun.sleep(1100);
  expect([await ask(second, 0), await ask(third, 1)]).toEqual(["wait", "wait"]);
  await first.setReady(true);
  await setAvailable(3);
  await goes(second, 1);
  expect(await ask(third)).toBe("wait");
  // It was left alone: the vault did not answer, for example.
  await tell(second, "kept");
  await goes(third);
});

test("when thirty pods ask two replicas at once, a quarter of them may go", async () => {
  const wanted = { namespace: "shop", name: "crowd", replicas: 30, maxUnavailable: "25%" };
  const { pods } = await permitWorkload(operator.kube, wanted);
  const went = new Set<WorkloadPod>();
  for (let round = 0; round < 4; round += 1) {
    const answers = await Promise.all(pods.map((pod, index) => ask(pod, (index + round) % 2)));
    for (const [index, pod] of pods.entries()) if (answers[index] === "go") went.add(pod);
    expect(went.size).toBeLessThanOrEqual(7);
    await Bun.sleep(1100);
  }
  expect(went.size).toBe(7);
}, 60_000);

test("a pod that cannot be started stops the others, and an Event says so", async () => {
  const { kube } = operator;
  const wanted = { namespace: "shop", name: "broken", replicas: 8, maxUnavailable: 4 };
  const { pods, setAvailable } = await permitWorkload(kube, wanted);
  const [first, second] = pods;
  if (first === undefined || second === undefined) throw new TypeError();
  await goes(first);
  await first.setReady(false, "CrashLoopBackOff");
  await setAvailable(7);
  const { body } = await post({ token: second.token, say: "ask", by: "program" });
  expect(body).toMatchObject({
    decision: "wait",
    reason: "the rotation of another pod has failed",
  });
  const path = "/apis/events.k8s.io/v1/namespaces/shop/events";
  const events = await callKubernetes(kube, { method: "GET", path });
  const about = (Object(events)["items"] as readonly unknown[]).map(Object);
  expect(about.filter(({ reason }) => reason === "RotationStopped")).toEqual([
    expect.objectContaining({
      regarding: expect.objectContaining({ kind: "Deployment", name: "broken" }),
      note: expect.stringContaining("pod broken-0: CrashLoopBackOff"),
    }),
  ]);
});

describe("with rotation-by: pod", () => {
  const evicting = { by: "pod" };
  const isThere = async (pod: WorkloadPod) => {
    const path = `/api/v1/namespaces/shop/pods/${pod.name}`;
    const { status, body } = await askKubernetes(operator.kube, { method: "GET", path });
    return status === 200 && Object(Object(body)["metadata"]).deletionTimestamp === undefined;
  };

  test("the operator evicts the pod, whose wrapper goes on until it is ended", async () => {
    const wanted = { namespace: "shop", name: "evicted", replicas: 3, maxUnavailable: 1 };
    const { pods, setAvailable } = await permitWorkload(operator.kube, wanted);
    const [first, second] = pods;
    if (first === undefined || second === undefined) throw new TypeError();
    expect(await ask(first, 0, evicting)).toBe("wait");
    await setAvailable(2);
    expect([await isThere(first), await isThere(second)]).toEqual([false, true]);
    await Bun.sleep(1100);
    expect(await ask(second, 1, evicting)).toBe("wait");
    expect(await isThere(second)).toBe(true);
  });

  test("no pod is evicted that a PodDisruptionBudget protects", async () => {
    const { kube } = operator;
    const wanted = { namespace: "shop", name: "guarded", replicas: 3, maxUnavailable: 1 };
    const { pods } = await permitWorkload(kube, wanted);
    const [first] = pods;
    if (first === undefined) throw new TypeError();
    await applyObject(kube, {
      ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget" },
      metadata: { namespace: "shop", name: "guarded" },
      spec: { minAvailable: 3, selector: { matchLabels: { app: "guarded" } } },
    });
    const { body } = await post({ token: first.token, say: "ask", ...evicting });
    expect(body).toMatchObject({ reason: "PodDisruptionBudget guarded allows no disruption" });
    expect(await isThere(first)).toBe(true);
  });
});

describe("a question is refused", () => {
  const question = { say: "ask", by: "program" };

  test.each([
    ["without a token", { ...question }, 400],
    ["with an unknown word", { ...question, token: "t", say: "now" }, 400],
    [
      "with a token that no API server gave",
      { ...question, token: "eyJhbGciOiJub25lIn0.e30." },
      403,
    ],
  ])("%s", async (_, body, status) => {
    expect((await post(body)).status).toBe(status);
  });

  test("with the token of an account that is bound to no pod", async () => {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" };
    const path = "/api/v1/namespaces/shop/serviceaccounts/default/token";
    const spec = { audiences: ["svc-rotation-permits"] };
    const made = await callKubernetes(operator.kube, {
      method: "POST",
      path,
      body: { ...body, spec },
    });
    const { token } = Object(made?.["status"]);
    const answer = await post({ ...question, token });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: "UNPROVEN" } } });
    expect(operator.outputs()).not.toContain(token);
  });

  test("at another path, or by another method", async () => {
    const url = `https://${ownAddress()}:${ports[0]}`;
    const tls = { ca: authorityPem, serverName: NAME };
    const headers = { Host: NAME };
    expect((await fetch(`${url}/mutate-v1-pod`, { tls, headers })).status).toBe(404);
    expect((await fetch(`${url}/v1/rotation-permits`, { tls, headers })).status).toBe(405);
  });
});
