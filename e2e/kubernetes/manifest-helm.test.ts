import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { noEncryption, obtainKeys, type SecretObject, writePhase } from "@svc/bootstrap";
import {
  applyObject,
  askKubernetes,
  callKubernetes,
  createServiceAccountToken,
  type Kubernetes,
  startKubernetes,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { chart, type HelmEnded, neededValues, runHelm } from "../harness/kubernetes/helm.ts";
import { NAMESPACE, OUTPUT, podAccess, secretClient } from "../harness/kubernetes/key-keeper.ts";
import { shamir, standInStore } from "./stand-in-store.ts";

const TIMEOUT_MS = 240_000;
const RELEASE = "svc-secretstore";
const JOB = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs/${RELEASE}`;
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const inNamespace = ["--namespace", NAMESPACE, "--timeout", "30s"];
const started = new AsyncDisposableStack();
let kube: Kubernetes;

beforeAll(async () => {
  kube = started.use(await startKubernetes());
  const metadata = { name: NAMESPACE };
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata });
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());

async function helm(words: readonly string[], values?: object): Promise<HelmEnded> {
  const wanted = { kubeconfig: kube.kubeconfig, ...(values && { values }) };
  return runHelm([...words, ...inNamespace], wanted);
}

/** Runs helm, and fails if something goes wrong. */
async function helmDoes(words: readonly string[], values?: object): Promise<string> {
  const { exitCode, stdout, stderr } = await helm(words, values);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
  return stdout;
}

/**
 * Stands for the Job's controller and its pod: does the work of a run, and reports how the Job
 * ended.
 */
async function finishJob(work: () => Promise<void>, end: "Complete" | "Failed"): Promise<void> {
  const look = async () => {
    const { status, body } = await askKubernetes(kube, { method: "GET", path: JOB });
    return status === 200 && Object(body?.["status"]).conditions === undefined ? body : undefined;
  };
  const job = await waitFor(look, { deadlineMs: 20_000, what: "a new Job" });
  await work();
  const now = new Date().toISOString();
  const before = end === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const conditions = [before, end].map((type) => ({
    ...{ type, status: "True", lastProbeTime: now, lastTransitionTime: now },
  }));
  const status = {
    ...{ startTime: now, conditions, uncountedTerminatedPods: {} },
    ...(end === "Complete" && { completionTime: now, succeeded: 1 }),
  };
  const path = `${JOB}/status`;
  await callKubernetes(kube, { method: "PUT", path, body: { ...job, status } });
}

/** An `install` or `upgrade` whose Job does the work. */
async function helmWithJob(
  words: readonly string[],
  { work = async () => undefined, end = "Complete", values = neededValues }: Run = {},
): Promise<HelmEnded> {
  const [ended] = await Promise.all([
    helm([...words, RELEASE, chart], values),
    finishJob(work, end),
  ]);
  return ended;
}

interface Run {
  readonly work?: () => Promise<void>;
  readonly end?: "Complete" | "Failed";
  readonly values?: object;
}

/** The entries that the Secret has to keep from now on. */
let keys: ReadonlyMap<string, Uint8Array>;

/**
 * Stores keys as the command does: with the Job's account, from the Secret as the chart has made
 * it.
 */
async function storeKeys(name = OUTPUT): Promise<void> {
  using folder = temporaryFolder();
  const token = await createServiceAccountToken(kube, NAMESPACE, RELEASE);
  const secret = await secretClient(await podAccess(kube, token, folder.path), name);
  // The authoriser learns of a binding a moment after it is stored.
  const seen = () => secret.read().catch(() => undefined);
  await waitFor(seen, { deadlineMs: 10_000, what: "the account to have its rights" });
  const { standing, pod, initialise } = standInStore();
  const run = { holder: "the Job", shamir, encryption: noEncryption };
  const obtained = await obtainKeys({ ...run, secret, standing, pod, initialise });
  expect(obtained.outcome).toBe("created");
  keys = writePhase(obtained.stored).data;
}

async function output(name = OUTPUT): Promise<SecretObject | undefined> {
  const access = { kind: "kubeconfig", paths: [kube.kubeconfig] } as const;
  return (await secretClient(access, name)).read();
}

async function expectKeys(name = OUTPUT): Promise<void> {
  expect((await output(name))?.data).toEqual(keys);
}

async function clear(): Promise<void> {
  await helm(["uninstall", RELEASE, "--ignore-not-found"]);
  // By default a Job waits for a controller to look after its pods.
  const job = `${JOB}?propagationPolicy=Background`;
  for (const path of [`${SECRETS}/${OUTPUT}`, `${SECRETS}/other-keys`, job]) {
    await askKubernetes(kube, { method: "DELETE", path });
  }
}

beforeEach(clear);
afterEach(clear);

const changed = (settings: object) => ({
  ...neededValues,
  settings: { ...neededValues.settings, ...settings },
});

describe("after an installation whose Job has stored keys", () => {
  beforeEach(async () => {
    const { exitCode, stdout } = await helmWithJob(["install"], { work: () => storeKeys() });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`get secret ${OUTPUT}`);
    await expectKeys();
  });

  test("an upgrade runs the Job again and leaves the keys alone, however often", async () => {
    for (const roleTtl of ["2h", "3h"]) {
      const before = await callKubernetes(kube, { method: "GET", path: JOB });
      const { exitCode } = await helmWithJob(["upgrade"], { values: changed({ roleTtl }) });
      expect(exitCode).toBe(0);
      const after = await callKubernetes(kube, { method: "GET", path: JOB });
      expect(Object(after?.["metadata"]).uid).not.toBe(Object(before?.["metadata"]).uid);
      await expectKeys();
    }
  });

  const unkind: Readonly<Record<string, readonly string[]>> = {
    "that replaces objects": ["upgrade", "--force-replace", "--server-side=false"],
    "that resets the values": ["upgrade", "--reset-values"],
    "that applies on the client's side": ["upgrade", "--server-side=false"],
    "that wins every conflict": ["upgrade", "--force-conflicts"],
  };
  for (const [name, words] of Object.entries(unkind)) {
    test(`an upgrade ${name} leaves the keys alone`, async () => {
      for (const round of [1, 2]) {
        const { exitCode, stderr } = await helmWithJob(words);
        expect({ round, exitCode, stderr }).toMatchObject({ exitCode: 0 });
        await expectKeys();
      }
    });
  }

  test("an upgrade whose Job fails leaves the keys alone, with all that Helm then undoes", async () => {
    const words = ["upgrade", "--rollback-on-failure", "--cleanup-on-fail"];
    const { exitCode } = await helmWithJob(words, { end: "Failed" });
    expect(exitCode).not.toBe(0);
    await expectKeys();
  });

  test("an upgrade that names another Secret leaves the first one, and its keys", async () => {
    const values = changed({ outputSecret: "other-keys" });
    const { exitCode } = await helmWithJob(["upgrade"], { values });
    expect(exitCode).toBe(0);
    await expectKeys();
    expect((await output("other-keys"))?.type).toBe("svc.internal/store-keys");
  });

  test("keys in a Secret of a failed upgrade survive Helm's rollback", async () => {
    const words = ["upgrade", "--rollback-on-failure", "--cleanup-on-fail"];
    const values = changed({ outputSecret: "other-keys" });
    const work = () => storeKeys("other-keys");
    const { exitCode } = await helmWithJob(words, { values, work, end: "Failed" });
    expect(exitCode).not.toBe(0);
    await expectKeys("other-keys");
    expect((await helmWithJob(["upgrade"], { values })).exitCode).toBe(0);
    await expectKeys("other-keys");
  });

  const rollbacks: readonly (readonly string[])[] = [
    [],
    ["--force-replace", "--server-side=false"],
    ["--server-side=false"],
  ];
  for (const flags of rollbacks) {
    const name = ["a rollback to the first revision", ...flags].join(" ");
    test(`${name} leaves the keys alone`, async () => {
      await helmWithJob(["upgrade"]);
      await helmDoes(["rollback", RELEASE, "1", ...flags]);
      await expectKeys();
    });
  }

  test("the keys outlive the release, and a new one finds them", async () => {
    await helmDoes(["uninstall", RELEASE]);
    await expectKeys();
    expect((await helmWithJob(["install"])).exitCode).toBe(0);
    await expectKeys();
    await helmDoes(["uninstall", RELEASE]);
    await expectKeys();
  });

  test("none of that depends on the Secret's annotations", async () => {
    const body = { metadata: { annotations: null, labels: null } };
    const contentType = "application/merge-patch+json";
    const path = `${SECRETS}/${OUTPUT}`;
    await callKubernetes(kube, { method: "PATCH", path, body, contentType });
    const values = changed({ outputSecret: "other-keys" });
    for (const wanted of [{}, { values }]) {
      expect((await helmWithJob(["upgrade"], wanted)).exitCode).toBe(0);
      await expectKeys();
    }
    await helmDoes(["uninstall", RELEASE]);
    await expectKeys();
  });
});

describe("an installation", () => {
  const metadata = { namespace: NAMESPACE, name: OUTPUT };

  test("whose Job fails is undone except for the keys", async () => {
    const words = ["install", "--rollback-on-failure"];
    const { exitCode } = await helmWithJob(words, { work: () => storeKeys(), end: "Failed" });
    expect(exitCode).not.toBe(0);
    await expectKeys();
  });

  test("if the Secret is something else stops before anything is made", async () => {
    await applyObject(kube, { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque" });
    const { exitCode, stderr } = await helm(["install", RELEASE, chart], neededValues);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('the Secret "svc-vault-init" is there, and its type is Opaque');
    const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${RELEASE}`;
    expect((await askKubernetes(kube, { method: "GET", path })).status).toBe(404);
  });

  test("takes an empty Secret as it is", async () => {
    const type = "svc.internal/store-keys";
    await applyObject(kube, { apiVersion: "v1", kind: "Secret", metadata, type });
    const before = await output();
    expect((await helmWithJob(["install"], { work: () => storeKeys() })).exitCode).toBe(0);
    expect((await output())?.revision.uid).toBe(before?.revision.uid ?? "");
  });
});
