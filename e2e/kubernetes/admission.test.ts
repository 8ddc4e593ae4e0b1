import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AdmissionContext, applyPatch, type Container, type Pod } from "@svc/operator";
import { decided, type GoldenPod, goldenOperator, goldenPods } from "@svc/operator/testdata";
import { askKubernetes, waitFor } from "@svc/testing";
import { type AdmissionStage, admissionStage, type CreatedPod } from "./admission-stage.ts";
import { sidecarWebhook } from "./sidecar-webhook.ts";

const TIMEOUT_MS = 240_000;
const IMAGE = { kind: "found", config: { entrypoint: ["/app"], command: [] } } as const;
let stage: AdmissionStage;

const plainContext: AdmissionContext = {
  operator: goldenOperator,
  configsOf: async () => [],
  clusterDefault: () => undefined,
  imagesOf: async (images) => new Map(images.map((image) => [image, IMAGE])),
};

beforeAll(async () => {
  stage = await admissionStage(plainContext);
}, TIMEOUT_MS);
afterAll(() => stage[Symbol.asyncDispose]());

function contextOf({ context }: GoldenPod): AdmissionContext {
  const { operator, configOf, images } = context;
  return {
    operator,
    configsOf: async () => [configOf(undefined) ?? []].flat(),
    clusterDefault: () => configOf(undefined),
    imagesOf: async () => images,
  };
}

/** The pod as a user writes it down: the account is the namespace's own. */
function written({ pod, name }: GoldenPod): Pod {
  const { serviceAccountName: _, serviceAccount: __, ...spec } = pod.spec;
  const { name: own, generateName: ___, ...metadata } = pod.metadata;
  return { ...pod, metadata: { ...metadata, namespace: "shop", name: own ?? name }, spec };
}

function asking(annotations: object = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: "api-",
      annotations: {
        "svc.internal/inject": "true",
        "svc.internal/vault-address": "https://vault.test:8200",
        "svc.internal/vault-role": "api",
        "svc.internal/secret-paths": "kv/data/api",
        "svc.internal/env-map": "password=DB_PASSWORD",
        ...annotations,
      },
    },
    spec: { containers: [{ name: "app", image: "registry.test/app:1" }] },
  };
}

function wrapped({ body }: CreatedPod): readonly string[] {
  return containersOf(body)
    .filter(({ command }) => command?.[0] === "/opt/svc/bin/svc-wrapper")
    .map(({ name }) => name);
}

function containerNames({ body }: CreatedPod): readonly string[] {
  return containersOf(body).map(({ name }) => name);
}

function containersOf(body: object): readonly Container[] {
  const { containers } = Object(Object(body).spec);
  return Array.isArray(containers) ? containers : [];
}

describe("created through the API server", () => {
  for (const golden of goldenPods()) {
    // Mirrors of static pods are created by kubelets only.
    if (golden.name === "mirror") continue;
    const decision = decided(golden);
    test(`${golden.name} is stored as it was decided`, async () => {
      stage.context.current = contextOf(golden);
      const pod = written(golden);
      const made = await stage.createPod(pod);
      if (decision.kind === "deny") {
        expect(made.status).toBe(403);
        expect(made.body["message"]).toStartWith(
          'admission webhook "pods.svc.internal" denied the request: inject secrets into pod ',
        );
        return;
      }
      expect([made.status, made.body["message"]]).toEqual([201, undefined]);
      const patch = decision.kind === "patch" ? decision.patch : [];
      const after = Object(applyPatch(golden.pod, patch));
      expect(wrapped(made)).toEqual([...wrapped({ status: 201, body: after })]);
      expect(variables(made.body["spec"])).toEqual(variables(after.spec));
      await removePod(made);
    });
  }
});

/**
 * The containers' words and variables. Not the place of the account's token: the server has mounted
 * that by then, and not all files of pods mention it.
 */
function variables(spec: unknown): readonly unknown[] {
  const { containers, initContainers = [] } = Object(spec);
  return [...containers, ...initContainers].map(({ name, command, args = [], env = [] }) => ({
    name,
    command,
    args,
    env: env.map(variableOf).filter(([key]: readonly string[]) => key !== "SVC_AUTH_JWT_PATH"),
  }));
}

function variableOf(entry: unknown): readonly string[] {
  const { name, value = "" } = Object(entry);
  return [name, value];
}

async function removePod({ body }: CreatedPod): Promise<void> {
  const { name } = Object(body["metadata"]);
  const path = `/api/v1/namespaces/shop/pods/${name}?gracePeriodSeconds=0`;
  await askKubernetes(stage.kube, { method: "DELETE", path });
}

test("a user reads all mistakes at once", async () => {
  stage.context.current = plainContext;
  const { status, body } = await stage.createPod(
    asking({ "svc.internal/rotation": "retsart", "svc.internal/envmap": "x" }),
  );
  expect(status).toBe(403);
  const lines = String(body["message"]).split("\n");
  expect(lines[0]).toBe(
    'admission webhook "pods.svc.internal" denied the request: inject secrets into pod api-*: cannot:',
  );
  expect(lines.join("\n")).toContain('must be one of restart, sighup, none: got "retsart"');
  expect(lines.join("\n")).toContain("svc.internal/envmap: must be an annotation that");
  expect(lines.at(-1)).toContain("to start it without secrets take svc.internal/inject out");
});

test("a dry run is injected into, recorded as one, and nothing is stored", async () => {
  stage.context.current = plainContext;
  stage.records.length = 0;
  const made = await stage.createPod(asking(), { dryRun: true });
  expect(wrapped(made)).toEqual(["app"]);
  expect(stage.records.map(({ dryRun }) => dryRun)).not.toContain(false);
  const { name } = Object(made.body["metadata"]);
  const path = `/api/v1/namespaces/shop/pods/${name}`;
  expect((await askKubernetes(stage.kube, { method: "GET", path })).status).toBe(404);
});

test("a pod that does not ask is stored as it is", async () => {
  stage.records.length = 0;
  const made = await stage.createPod({ ...asking(), metadata: { generateName: "plain-" } });
  expect([made.status, wrapped(made)]).toEqual([201, []]);
  expect(stage.records[0]).toMatchObject({ outcome: "skipped", reason: "it does not ask for it" });
  await removePod(made);
});

test("an update of an injected pod changes nothing else", async () => {
  const made = await stage.createPod(asking());
  const { name } = Object(made.body["metadata"]);
  const path = `/api/v1/namespaces/shop/pods/${name}`;
  const updated = await askKubernetes(stage.kube, {
    method: "PATCH",
    path,
    body: { metadata: { labels: { seen: "true" } } },
    contentType: "application/merge-patch+json",
  });
  expect(updated.status).toBe(200);
  expect(updated.body?.["spec"]).toEqual(made.body["spec"]);
  expect(stage.records.at(-1)).toMatchObject({ operation: "UPDATE", outcome: "skipped" });
  await removePod(made);
});

test("a registry that does not answer is a refusal within the time, which says so", async () => {
  const imagesOf = () => Promise.withResolvers<never>().promise;
  stage.context.current = { ...plainContext, imagesOf };
  const began = performance.now();
  const { status, body } = await stage.createPod(asking(), { namespace: "hurried" });
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(status).toBe(504);
  expect(String(body["message"])).toContain("is not known: no answer came in time");
  stage.context.current = plainContext;
}, 20_000);

test("200 pods at once are injected into, all of them", async () => {
  const made = await Promise.all(Array.from({ length: 200 }, () => stage.createPod(asking())));
  expect(made.filter(({ status }) => status !== 201)).toEqual([]);
  expect(made.flatMap(wrapped)).toHaveLength(200);
  await Promise.all(made.map(removePod));
}, 30_000);

test("a container that another webhook adds afterwards is injected into at the second call", async () => {
  await using _ = await sidecarWebhook(stage.kube);
  const pod = asking();
  const labelled = { ...pod, metadata: { ...pod.metadata, labels: { sidecar: "yes" } } };
  const isThere = async () => {
    stage.records.length = 0;
    const made = await stage.createPod(labelled);
    return containerNames(made).includes("late") && made;
  };
  const made = await waitFor(isThere, { deadlineMs: 10_000, what: "the other webhook" });
  expect(wrapped(made)).toEqual(["app", "late"]);
  expect(stage.records.map(({ containers }) => containers)).toEqual([["app"], ["late"]]);
}, 20_000);

test("pods that find no place are asked about again by the API server, and none is refused", async () => {
  await stage.stopWebhook();
  await stage.startWebhook({ limits: { inFlight: 2, waiting: 2 } });
  const imagesOf: AdmissionContext["imagesOf"] = async (images, asker) => {
    // As long as a registry takes that is near.
    await Bun.sleep(20);
    return plainContext.imagesOf(images, asker);
  };
  stage.context.current = { ...plainContext, imagesOf };
  const made = await Promise.all(Array.from({ length: 10 }, () => stage.createPod(asking())));
  expect(made.flatMap(wrapped)).toHaveLength(10);
  expect(await stage.metrics()).not.toContain('refused_total{code="BUSY"} 0\n');
  await Promise.all(made.map(removePod));
  stage.context.current = plainContext;
}, 30_000);

test("without its webhook no pod is created, and with it they are again", async () => {
  await stage.stopWebhook();
  const { status, body } = await stage.createPod(asking());
  expect(status).toBe(500);
  expect(String(body["message"])).toContain("failed calling webhook");
  await stage.startWebhook();
  const again = async () => {
    const made = await stage.createPod(asking());
    return made.status === 201 && made;
  };
  const made = await waitFor(again, { deadlineMs: 10_000, what: "a pod to be created" });
  expect(wrapped(made)).toEqual(["app"]);
  await removePod(made);
}, 30_000);
