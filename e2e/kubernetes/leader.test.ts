import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { connectApi } from "@svc/kubernetes";
import { runLeader } from "@svc/operator";
import {
  applyObject,
  callKubernetes,
  type Kubernetes,
  startKubernetes,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { makeAccount, podAccess } from "../harness/kubernetes/key-keeper.ts";

const TIMEOUT_MS = 240_000;
const NAMESPACE = "svc-system";
const LEASE_MS = 3000;
const lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: NAMESPACE, name: "svc-operator", labels: { "made-by": "chart" } },
} as const;
const rules = [
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [lease.metadata.name],
    verbs: ["get", "patch"],
  },
];
const started = new AsyncDisposableStack();
let kube: Kubernetes;
let words: readonly string[];

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  const folder = started.use(temporaryFolder()).path;
  const token = await makeAccount(kube, "svc-operator", rules, NAMESPACE);
  await applyObject(kube, lease);
  await podAccess(kube, token, folder);
  const { hostname, port } = new URL(kube.address);
  words = [hostname, port, folder];
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

/** A candidate in a separate process, and when it led. */
function startCandidate(identity: string) {
  const program = join(import.meta.dirname, "candidate.ts");
  const child = Bun.spawn([process.execPath, program, ...words, identity], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const terms: { beganMs: number; endedMs?: number }[] = [];
  const reading = (async () => {
    let rest = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [word, time] = line.split(" ");
        if (word === "leads") terms.push({ beganMs: Number(time) });
        else Object.assign(terms.at(-1) ?? {}, { endedMs: Number(time) });
      }
    }
  })();
  started.defer(async () => {
    child.kill("SIGKILL");
    await child.exited;
    await reading;
  });
  const leads = () => terms.length > 0 && terms.at(-1)?.endedMs === undefined;
  return { identity, child, terms, leads };
}

type Candidate = ReturnType<typeof startCandidate>;

async function leaderOf(candidates: readonly Candidate[]): Promise<Candidate> {
  const find = () => candidates.find((one) => one.leads());
  return waitFor(find, { deadlineMs: 20_000, what: "a leader" });
}

async function spec() {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/svc-operator`;
  return Object(await callKubernetes(kube, { method: "GET", path }));
}

test(
  "of three candidates one leads at any time, whether the leader is killed, stopped or halted",
  async () => {
    const all = ["a", "b", "c"].map(startCandidate);
    const first = await leaderOf(all);
    expect((await spec()).metadata.labels).toEqual({ "made-by": "chart" });

    first.child.kill("SIGKILL");
    const killedMs = Date.now();
    Object.assign(first.terms.at(-1) ?? {}, { endedMs: killedMs });
    const rest = all.filter((one) => one !== first);
    const second = await leaderOf(rest);
    // It was renewed at most a retry before it was killed.
    expect((second.terms[0]?.beganMs ?? 0) - killedMs).toBeGreaterThan(LEASE_MS - 2000);

    const [other] = rest.filter((one) => one !== second);
    if (other === undefined) throw new TypeError("there are three");
    second.child.kill("SIGTERM");
    const stoppedMs = Date.now();
    await leaderOf([other]);
    expect(await second.child.exited).toBe(0);
    // Given back, not waited for.
    expect((other.terms[0]?.beganMs ?? 0) - stoppedMs).toBeLessThan(LEASE_MS - 1000);

    const fourth = startCandidate("d");
    other.child.kill("SIGSTOP");
    await leaderOf([fourth]);
    other.child.kill("SIGCONT");
    await waitFor(() => !other.leads(), { deadlineMs: 5000, what: "the halted one to cease" });
    expect(fourth.leads()).toBe(true);
    expect((await spec()).spec).toMatchObject({ holderIdentity: "d", leaseTransitions: 4 });

    const terms = all.flatMap((one) => one.terms).toSorted((a, b) => a.beganMs - b.beganMs);
    for (const [index, { beganMs }] of terms.entries()) {
      expect(terms[index - 1]?.endedMs ?? 0).toBeLessThanOrEqual(beganMs);
    }
  },
  TIMEOUT_MS,
);

test("an account without the right says which one it lacks, and leads nothing", async () => {
  const folder = started.use(temporaryFolder()).path;
  const access = await podAccess(kube, await makeAccount(kube, "nobody", [], NAMESPACE), folder);
  const end = new AbortController();
  const lines: string[] = [];
  const running = runLeader({
    api: await connectApi(access),
    ...{ namespace: NAMESPACE, name: "svc-operator", identity: "e", signal: end.signal },
    log: (_, message) => lines.push(message),
    lead: async () => {
      throw new TypeError("must not lead");
    },
  });
  await waitFor(() => lines.length > 0, { deadlineMs: 10_000, what: "a line of the log" });
  end.abort();
  await running;
  expect(lines[0]).toContain('cannot get resource "leases" in API group "coordination.k8s.io"');
});
