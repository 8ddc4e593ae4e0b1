import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { connectApi } from "@svc/kubernetes";
import { keepStatuses, type StatusKeeperOptions, watchConfigs } from "@svc/operator";
import { goldenOperator } from "@svc/operator/testdata";
import {
  applyObject,
  askKubernetes,
  callKubernetes,
  type Kubernetes,
  startKubernetes,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { parseManifest } from "../harness/kubernetes/helm.ts";
import { bindClusterRole, makeAccount, podAccess } from "../harness/kubernetes/key-keeper.ts";
import { operatorRules } from "./operator-rules.ts";

const TIMEOUT_MS = 240_000;
const CONFIGS = "/apis/svc.internal/v1alpha1/namespaces/shop/svcconfigs";
const address = "https://vault.example:8200";
const plain = { vaultAddress: address, vaultRole: "app" };
const started = new AsyncDisposableStack();
const lines: string[] = [];
let kube: Kubernetes;
let options: StatusKeeperOptions;

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  const file = join(import.meta.dirname, "../../deploy/crds/svcconfigs.yaml");
  const [crd] = parseManifest(await Bun.file(file).text());
  if (crd === undefined) throw new TypeError("there is no definition");
  await applyObject(kube, crd);
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  const metadata = { namespace: "shop", name: "default" };
  await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  const isServed = async () =>
    (await askKubernetes(kube, { method: "GET", path: CONFIGS })).status === 200;
  await waitFor(isServed, { deadlineMs: 20_000, what: "the definition to be served" });
  const account = { namespace: "svc-system", name: "svc-operator" };
  const token = await makeAccount(kube, account.name, operatorRules.role, account.namespace);
  await bindClusterRole(kube, account, operatorRules.clusterRole);
  const folder = started.use(temporaryFolder()).path;
  const api = await connectApi(await podAccess(kube, token, folder));
  const configs = watchConfigs(api);
  started.defer(configs.stop);
  options = {
    ...{ api, configs },
    operator: { ...goldenOperator, allowedAddresses: [address] },
    log: (level, message) => lines.push(`${level} ${message}`),
    instance: "svc-operator-0_1",
    countMs: 500,
  };
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

/** Keeps the status of SvcConfigs until the given work with them is done. */
async function whileKept(
  work: () => Promise<void>,
  wanted: Partial<StatusKeeperOptions> = {},
): Promise<void> {
  const end = new AbortController();
  const keeping = keepStatuses({ ...options, ...wanted }, end.signal);
  try {
    await work();
  } finally {
    end.abort();
    await keeping;
  }
}

async function write(name: string, spec: object): Promise<void> {
  const metadata = { namespace: "shop", name };
  await applyObject(kube, {
    apiVersion: "svc.internal/v1alpha1",
    kind: "SvcConfig",
    metadata,
    spec,
  });
}

async function read(name: string) {
  return Object(await callKubernetes(kube, { method: "GET", path: `${CONFIGS}/${name}` }));
}

/** Waits until the status of the newest generation says this. */
async function becomes(name: string, wanted: object) {
  const look = async () => {
    const { metadata, status = {} } = await read(name);
    const isNew = status.observedGeneration === metadata.generation;
    return isNew && Object.entries(wanted).every(([key, value]) => status[key] === value)
      ? status
      : undefined;
  };
  return waitFor(look, { deadlineMs: 10_000, what: `${name} to be ${JSON.stringify(wanted)}` });
}

/** Waits until the watch of the operator has the status that the server has. */
async function isWatched(name: string) {
  const { metadata } = await read(name);
  const watched = () =>
    options.configs.get("shop", name)?.resourceVersion === metadata.resourceVersion;
  await waitFor(watched, { deadlineMs: 10_000, what: `the watch to have the status of ${name}` });
}

async function events(name: string): Promise<readonly string[]> {
  const path = "/apis/events.k8s.io/v1/namespaces/shop/events";
  const { items } = Object(await callKubernetes(kube, { method: "GET", path }));
  return items
    .filter(({ regarding }: { regarding: { name: string } }) => regarding.name === name)
    .toSorted((a: { eventTime: string }, b: { eventTime: string }) =>
      a.eventTime < b.eventTime ? -1 : 1,
    )
    .map(({ type, reason, note }: Record<string, string>) => `${type} ${reason}: ${note}`);
}

/** A pod as the webhook leaves it, in a phase that no kubelet says here. */
async function podOf(config: string, name: string, phase: string): Promise<void> {
  const marker = JSON.stringify({ containers: [], volumes: {}, config });
  await applyObject(kube, {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ namespace: "shop", name, labels: { "svc.internal/injected": "true" } },
      annotations: { "svc.internal/injected": marker },
    },
    spec: { containers: [{ name: "app", image: "registry.test/app:1" }] },
  });
  await callKubernetes(kube, {
    ...{ method: "PATCH", contentType: "application/merge-patch+json" },
    path: `/api/v1/namespaces/shop/pods/${name}/status`,
    body: { status: { phase } },
  });
}

test("a SvcConfig says whether it can be used, and events say when that changes", async () => {
  await whileKept(async () => {
    await write("web", plain);
    const { conditions } = await becomes("web", { ready: true, message: "pods can use it" });
    expect(
      conditions.map(({ type, status }: Record<string, string>) => `${type}=${status}`),
    ).toEqual(["Ready=True", "Valid=True", "AddressAllowed=True"]);
    expect(await events("web")).toEqual([]);
    await write("web", { ...plain, vaultAddress: "https://elsewhere.example:8200" });
    await becomes("web", { ready: false });
    await waitFor(async () => (await events("web")).length === 1, {
      ...{ deadlineMs: 5000, what: "a warning" },
    });
    const said =
      'must be one of the allowed addresses, https://vault.example:8200: got "https://elsewhere.example:8200"';
    expect(await events("web")).toEqual([`Warning NotAllowed: vaultAddress: ${said}`]);
  });
  await write("web", plain);
  // Another leader, which has sent nothing yet, decides by the earlier status.
  await whileKept(async () => {
    await becomes("web", { ready: true });
    await waitFor(async () => (await events("web")).length === 2, {
      ...{ deadlineMs: 5000, what: "the all-clear" },
    });
  });
  expect((await events("web")).at(-1)).toBe("Normal Usable: pods can use it");
});

test("kubectl shows whether it is ready and the number of its pods", async () => {
  await write("counted", plain);
  await podOf("shop/counted", "one", "Running");
  await podOf("shop/counted", "two", "Running");
  await podOf("shop/counted", "done", "Succeeded");
  await podOf("other/counted", "three", "Running");
  await whileKept(async () => {
    await becomes("counted", { injectedPods: 2 });
    await podOf("shop/counted", "one", "Failed");
    await becomes("counted", { injectedPods: 1 });
  });
  const response = await fetch(`${kube.address}${CONFIGS}`, {
    headers: {
      Authorization: `Bearer ${kube.token}`,
      Accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
    },
    tls: { ca: kube.caPem },
  });
  const { columnDefinitions, rows } = Object(await response.json());
  const names = columnDefinitions.map(({ name }: { name: string }) => name);
  expect(names.slice(0, 5)).toEqual(["Name", "Vault", "Ready", "Injected", "Age"]);
  const cells = rows.map((row: { cells: readonly unknown[] }) => row.cells.slice(0, 4));
  expect(cells).toContainEqual(["counted", address, true, 1]);
});

test("a change of one SvcConfig updates another one that it concerns", async () => {
  const selector = { matchLabels: { app: "web" } };
  await write("first", { ...plain, selector });
  await whileKept(async () => {
    const reason = async (name: string, wanted: string) =>
      waitFor(
        async () => {
          const { conditions = [] } = (await read(name)).status ?? {};
          return conditions.some((one: Record<string, string>) => one["reason"] === wanted);
        },
        { deadlineMs: 10_000, what: `${name} to be ${wanted}` },
      );
    await reason("first", "Unique");
    await write("second", { ...plain, selector: {} });
    await reason("first", "Overlaps");
    await reason("second", "Overlaps");
    await callKubernetes(kube, { method: "DELETE", path: `${CONFIGS}/second` });
    await reason("first", "Unique");
  });
});

test("nothing is written, and pods are not listed again, if nothing changes", async () => {
  await write("still", plain);
  await whileKept(async () => {
    await becomes("still", { ready: true, injectedPods: 0 });
    await isWatched("still");
    let lists = 0;
    const { api } = options;
    const written: string[] = [];
    const counting = {
      ...api,
      ask: (request: Parameters<typeof api.ask>[0]) => {
        if (request.method !== "GET") written.push(request.path);
        if (request.path.startsWith("/api/v1/pods")) lists += 1;
        return api.ask(request);
      },
    };
    const before = (await read("still")).metadata.resourceVersion;
    await whileKept(
      async () => {
        const endMs = performance.now() + 2000;
        await waitFor(() => performance.now() > endMs, { deadlineMs: 4000, what: "four rounds" });
      },
      { api: counting },
    );
    expect([written, lists]).toEqual([[], 1]);
    expect((await read("still")).metadata.resourceVersion).toBe(before);
  });
});

test("an account without the right says which one it lacks, and goes on", async () => {
  const folder = started.use(temporaryFolder()).path;
  const account = { namespace: "svc-system", name: "reader" };
  const token = await makeAccount(kube, account.name, [], account.namespace);
  const only = operatorRules.clusterRole.filter(({ resources }) =>
    resources.includes("svcconfigs"),
  );
  await bindClusterRole(kube, account, only);
  const api = await connectApi(await podAccess(kube, token, folder));
  await write("unwritten", plain);
  const before = lines.length;
  await whileKept(
    async () => {
      await waitFor(() => lines.slice(before).some((line) => line.includes("svcconfigs/status")), {
        ...{ deadlineMs: 10_000, what: "a line of the log" },
      });
    },
    { api },
  );
  expect((await read("unwritten")).status).toBeUndefined();
});
