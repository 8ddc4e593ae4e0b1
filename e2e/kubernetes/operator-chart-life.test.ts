import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import {
  type Answer,
  applyObject,
  askKubernetes,
  callKubernetes,
  type KubernetesObject,
  objectPath,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { objectOf, parseManifest, runHelm } from "../harness/kubernetes/helm.ts";
import {
  everything,
  NAMESPACE,
  neededValues,
  OPERATOR,
  operatorChart,
  RELEASE,
  renderOperatorChart,
  withValues,
} from "../harness/kubernetes/operator-chart.ts";
import {
  CERTIFICATE,
  CONFIGURATION,
  DEFINITIONS,
  DEPLOYMENT,
  GUARD,
  hasRights,
  install,
  LEASE,
  makeNamespace,
  type OperatorRelease,
  operatorRelease,
  POLICY_FIELDS,
} from "../harness/kubernetes/operator-release.ts";
import { deletedAt, everythingOf } from "./cluster-contents.ts";

const TIMEOUT_MS = 240_000;
const [DEFINITION] = DEFINITIONS;
const KEPT = [...GUARD, ...POLICY_FIELDS];
const CONFIG = "/apis/svc.internal/v1alpha1/namespaces/shop/svcconfigs/default";
const started = new AsyncDisposableStack();
let release: OperatorRelease;

beforeAll(async () => {
  release = started.use(await operatorRelease());
  await makeNamespace(release.kube, "bank");
  // A dry run makes no namespace for the objects that come after it.
  await makeNamespace(release.kube, "svc-agent");
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

async function helmDoes(words: readonly string[], values?: object): Promise<void> {
  const { exitCode, stderr } = await release.helm(words, values);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
}

describe("the objects of the chart", () => {
  /** Their definitions come with programs that the test does not install. */
  const ofOthers = ["cert-manager.io/v1", "monitoring.coreos.com/v1"];
  const requests = {
    "as it comes": neededValues,
    "with everything": everything,
    "with rights to all pull secrets": withValues({
      operator: { pullSecrets: { access: "cluster" } },
    }),
    "with cert-manager": withValues({ certificate: { source: "cert-manager" } }),
  };
  for (const [name, values] of Object.entries(requests)) {
    test(`pass the API server's strict validation: ${name}`, async () => {
      const rendered = await renderOperatorChart(values);
      for (const object of rendered.filter(({ apiVersion }) => !ofOthers.includes(apiVersion))) {
        const { kind } = object;
        expect(await dryRun(object)).toMatchObject({ kind });
      }
    });
  }
});

async function dryRun(object: KubernetesObject): Promise<Answer> {
  const query = "?dryRun=All&fieldValidation=Strict&fieldManager=svc-tests";
  const contentType = "application/apply-patch+yaml";
  const path = `${await objectPath(release.kube, object)}${query}`;
  return callKubernetes(release.kube, { method: "PATCH", path, body: object, contentType });
}

describe("a release", () => {
  beforeEach(() => install(release));
  afterEach(async () => {
    await release.helm(["uninstall", "--ignore-not-found"]);
    // A definition that is deleted before it is served is deleted by retries that double their
    // wait.
    await isServed();
    for (const path of [...KEPT, ...DEFINITIONS]) {
      await askKubernetes(release.kube, { method: "DELETE", path });
    }
    for (const path of DEFINITIONS) await gone(path);
  });

  test("tells the agent the cluster's UID, beside the attributes of the values", async () => {
    const settings = { otelResourceAttributes: ["k8s.cluster.name=prod"] };
    const agent = {
      enabled: true,
      image: "registry.test/agent:1",
      createNamespace: false,
      settings,
    };
    await helmDoes(["upgrade"], withValues({ agent }));
    const system = await release.read("/api/v1/namespaces/kube-system");
    const { uid } = Object(system?.["metadata"]);
    const path = "/apis/apps/v1/namespaces/svc-agent/daemonsets/svc-agent";
    const { containers } = Object((await release.read(path))?.["spec"]).template.spec;
    expect(containers[0].env).toContainEqual({
      name: "OTEL_RESOURCE_ATTRIBUTES",
      value: `k8s.cluster.name=prod,k8s.cluster.uid=${uid}`,
    });
  });

  test("has pods that a namespace for restricted pods takes", async () => {
    const { template } = Object((await release.read(DEPLOYMENT))?.["spec"]);
    const metadata = { generateName: "svc-operator-", labels: template.metadata.labels };
    const path = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`;
    const body = { metadata, spec: template.spec };
    const { status } = await askKubernetes(release.kube, { method: "POST", path, body });
    expect(status).toBe(201);
  });

  test("says in its notes how a SvcConfig is made, and that is one", async () => {
    const { stdout } = await release.helm(["status"]);
    const [, text = ""] = /<<END\n(.*?)\n +END\n/s.exec(stdout) ?? [];
    const [config] = parseManifest(text);
    if (config === undefined) throw new TypeError("the notes have no SvcConfig");
    await isServed();
    const metadata = { ...config.metadata, namespace: "shop" };
    expect(await dryRun({ ...config, metadata })).toMatchObject({ kind: "SvcConfig" });
  });

  test("keeps, in upgrades of each kind, the operator's own changes", async () => {
    const upgrades: Readonly<Record<string, readonly string[]>> = {
      "as it is": [],
      "with all values reset": ["--reset-values"],
      "that wins every conflict": ["--force-conflicts"],
      // The last one: later ones would be on that side, too.
      "on the client's side": ["--server-side=false"],
    };
    const written = await writeAsOperator();
    for (const [name, flags] of Object.entries(upgrades)) {
      for (const timeoutSeconds of [5, 6]) {
        const values = withValues({ webhook: { timeoutSeconds, failurePolicy: "Ignore" } });
        await helmDoes(["upgrade", ...flags], values);
        const { timeoutSeconds: now, failurePolicy } = await webhook();
        const kept = { name, now, failurePolicy, ...(await readWritten()) };
        expect(kept).toEqual({ name, now: timeoutSeconds, failurePolicy: "Ignore", ...written });
      }
    }
  });

  test("keeps it in a rollback", async () => {
    const written = await writeAsOperator();
    await helmDoes(["upgrade"], withValues({ webhook: { timeoutSeconds: 5 } }));
    await helmDoes(["rollback", "1"]);
    expect(await webhook()).toMatchObject({ timeoutSeconds: 10 });
    expect(await readWritten()).toEqual(written);
  });

  test("loses it if objects are replaced by force, and the operator may write it again", async () => {
    await writeAsOperator();
    await helmDoes(["upgrade", "--force-replace", "--server-side=false"], neededValues);
    const nothing = { caBundle: undefined, data: undefined, holder: undefined };
    expect(await readWritten()).toEqual(nothing);
    const written = await writeAsOperator();
    expect(await readWritten()).toEqual(written);
  });

  test("that ends leaves the definitions, the SvcConfigs and the policies, and nothing else", async () => {
    await applyConfig();
    await isServed();
    const before = await everythingOf(release.kube, RELEASE);
    expect(before.length).toBeGreaterThan(10);
    await helmDoes(["uninstall"]);
    expect(await everythingOf(release.kube, RELEASE)).toEqual([...KEPT.toSorted(), ...DEFINITIONS]);
    expect(await release.read(CONFIG)).toMatchObject({ spec: { vaultRole: "shop" } });
    await install(release);
    expect(await release.read(CONFIG)).toMatchObject({ spec: { vaultRole: "shop" } });
  });

  test("that ends removes the webhook configuration before the pods behind it", async () => {
    const since = String(Object((await release.read(DEPLOYMENT))?.["metadata"]).resourceVersion);
    await helmDoes(["uninstall"]);
    const [configuration, deployment, service] = await Promise.all([
      deletedAt(release.kube, CONFIGURATION, since),
      deletedAt(release.kube, DEPLOYMENT, since),
      deletedAt(release.kube, `/api/v1/namespaces/${NAMESPACE}/services/${OPERATOR}`, since),
    ]);
    expect(configuration).toBeGreaterThan(0);
    expect(configuration).toBeLessThan(deployment ?? 0);
    expect(configuration).toBeLessThan(service ?? 0);
  });

  test("upgrades the definition, which is not an empty promise", async () => {
    using folder = temporaryFolder();
    const older = join(folder.path, "svc");
    cpSync(operatorChart, older, { recursive: true, dereference: true });
    const file = join(older, "files/svcconfigs.yaml");
    const text = await Bun.file(file).text();
    await Bun.write(file, text.replace("- svcc\n", "- older\n"));
    const words = ["upgrade", RELEASE, older, "--namespace", NAMESPACE];
    const { kubeconfig } = release.kube;
    expect((await runHelm(words, { kubeconfig, values: neededValues })).exitCode).toBe(0);
    expect(await shortNames()).toEqual(["older"]);
    await applyConfig();
    await helmDoes(["upgrade"], neededValues);
    expect(await shortNames()).toEqual(["svcc"]);
    expect(await release.read(CONFIG)).toMatchObject({ spec: { vaultRole: "shop" } });
  });

  test("leaves the definition if its values stop making it", async () => {
    await applyConfig();
    await helmDoes(["upgrade"], withValues({ definitions: { create: false } }));
    expect(await release.read(CONFIG)).toMatchObject({ spec: { vaultRole: "shop" } });
  });
});

test("a definition that is there already is taken over if the user says so", async () => {
  const rendered = await renderOperatorChart();
  const configs = rendered.filter(({ metadata }) => metadata.name === "svcconfigs.svc.internal");
  const { metadata, ...definition } = objectOf(configs, "CustomResourceDefinition");
  await applyObject(release.kube, { ...definition, metadata: { name: metadata.name } });
  const { exitCode, stderr } = await release.helm(["install"], neededValues);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain("cannot be imported into the current release");
  await helmDoes(["install", "--take-ownership"], neededValues);
});

/** The API server deletes a definition when all that was stored by it is deleted. */
async function gone(path: string): Promise<void> {
  const isGone = async () => {
    const { status } = await askKubernetes(release.kube, { method: "GET", path });
    return status === 404 || undefined;
  };
  await waitFor(isGone, { deadlineMs: 35_000, what: `${path} to be gone` });
}

async function webhook(): Promise<Readonly<Record<string, unknown>>> {
  return Object((await release.read(CONFIGURATION))?.["webhooks"])[0];
}

async function shortNames(): Promise<unknown> {
  return Object((await release.read(DEFINITION))?.["spec"]).names.shortNames;
}

async function isServed(): Promise<void> {
  for (const list of ["namespaces/shop/svcconfigs", "svcpolicies"]) {
    const lists = async () => {
      const path = `/apis/svc.internal/v1alpha1/${list}`;
      return (await askKubernetes(release.kube, { method: "GET", path })).status === 200;
    };
    await waitFor(lists, { deadlineMs: 20_000, what: `${list} to be served` });
  }
}

async function applyConfig(): Promise<void> {
  await isServed();
  const spec = { vaultAddress: "https://vault.example:8200", vaultRole: "shop" };
  const metadata = { name: "default", namespace: "shop" };
  const config = { apiVersion: "svc.internal/v1alpha1", kind: "SvcConfig", metadata, spec };
  await applyObject(release.kube, config);
}

interface Written {
  readonly caBundle: unknown;
  readonly data: unknown;
  readonly holder: unknown;
}

/** Writes the operator's objects with its account: certificate, CA and Lease. */
async function writeAsOperator(): Promise<Written> {
  const target = await release.asOperator();
  await hasRights(target);
  const bundle = Buffer.from(await anyCertificate()).toString("base64");
  const data = { "tls.crt": "Y2VydGlmaWNhdGU=", "tls.key": "a2V5" };
  const spec = { holderIdentity: "one", leaseDurationSeconds: 15 };
  const merge = "application/merge-patch+json";
  const path = "/webhooks/0/clientConfig/caBundle";
  const json = [{ op: "add", path, value: bundle }];
  const write = (to: string, body: unknown, contentType: string) =>
    callKubernetes(target, { method: "PATCH", path: to, body, contentType });
  await write(CONFIGURATION, json, "application/json-patch+json");
  await write(CERTIFICATE, { data }, merge);
  await write(LEASE, { spec }, merge);
  const written = await readWritten();
  expect(written).toEqual({ caBundle: bundle, data, holder: "one" });
  return written;
}

async function readWritten(): Promise<Written> {
  const { clientConfig } = Object(await webhook());
  const secret: Answer = await release.read(CERTIFICATE);
  const lease = await release.read(LEASE);
  return {
    caBundle: clientConfig.caBundle,
    data: secret?.["data"],
    holder: Object(lease?.["spec"]).holderIdentity,
  };
}

/** The API server wants to see a certificate. */
async function anyCertificate(): Promise<string> {
  return release.kube.caPem;
}
