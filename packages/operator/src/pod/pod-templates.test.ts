import { describe, expect, test } from "bun:test";
import { podKinds, podTemplatesOf } from "./pod-templates.ts";

const spec = { containers: [{ name: "app" }] };
const annotations = { "svc.internal/inject": "true" };
const template = { metadata: { annotations }, spec };

const manifests: Readonly<Record<string, object>> = {
  Pod: { metadata: { name: "shop", namespace: "bank", annotations }, spec },
  PodTemplate: { template },
  CronJob: { spec: { schedule: "@daily", jobTemplate: { spec: { template } } } },
};

describe("the pod is found and put back in a", () => {
  for (const kind of podKinds) {
    const metadata = { name: "shop", namespace: "bank" };
    const manifest = {
      kind,
      metadata,
      ...(manifests[kind] ?? { spec: { replicas: 2, template } }),
    };
    test(kind, () => {
      const [found] = podTemplatesOf(manifest);
      expect(found).toMatchObject({ kind, name: "shop", namespace: "bank", pod: { spec } });
      expect(Object(found?.pod).metadata.annotations).toEqual(annotations);
      expect(found?.withPod(found.pod)).toEqual(manifest);
      const other = { ...Object(found?.pod), spec: { containers: [] } };
      expect(podTemplatesOf(found?.withPod(other))[0]?.pod).toEqual(other);
    });
  }
});

describe("no pod is in", () => {
  const others: readonly unknown[] = [
    { kind: "Service" },
    {},
    null,
    "Pod",
    [],
    { kind: "toString" },
    // The containers of a Prometheus are added to those of its operator.
    { kind: "Prometheus", spec: { containers: [{ name: "a", image: "b" }] } },
    { kind: "Elasticsearch", spec: { podTemplate: { spec: { containers: [{ name: "a" }] } } } },
    { kind: "X", spec: { template: { spec: { containers: [] } } } },
  ];
  for (const other of others) {
    test(JSON.stringify(other), () => expect(podTemplatesOf(other)).toBeEmpty());
  }
});

test("a manifest without a template gives a pod that cannot be read, and does not throw", () => {
  expect(podTemplatesOf({ kind: "CronJob", metadata: { name: "x" } })[0]?.pod).toMatchObject({
    metadata: { generateName: "x-" },
  });
});

describe("the form of a pod template is found in a", () => {
  const image = "registry.test/app:1";
  const form = { metadata: { annotations }, spec: { containers: [{ name: "app", image }] } };
  const nameless = { metadata: { annotations }, spec: { containers: [{ image }] } };
  const rows: Readonly<Record<string, readonly [manifest: object, places: readonly string[]]>> = {
    Rollout: [{ spec: { template: form } }, ["spec.template"]],
    CloneSet: [{ apiVersion: "apps.kruise.io/v1", spec: { template: form } }, ["spec.template"]],
    DeploymentConfig: [{ spec: { template: form } }, ["spec.template"]],
    ScaledJob: [{ spec: { jobTargetRef: { template: form } } }, ["spec.jobTargetRef.template"]],
    Service: [
      { apiVersion: "serving.knative.dev/v1", spec: { template: nameless } },
      ["spec.template"],
    ],
    SparkApplication: [
      { spec: { driver: { template: form }, executor: { template: form } } },
      ["spec.driver.template", "spec.executor.template"],
    ],
    RayCluster: [
      {
        spec: { headGroupSpec: { template: form }, workerGroupSpecs: [{}, { template: form }] },
      },
      ["spec.headGroupSpec.template", "spec.workerGroupSpecs[1].template"],
    ],
    PyTorchJob: [
      { spec: { pytorchReplicaSpecs: { Master: { replicas: 1, template: form } } } },
      ["spec.pytorchReplicaSpecs.Master.template"],
    ],
    // Volcano's, which has the name of a kind of Kubernetes.
    Job: [
      { apiVersion: "batch.volcano.sh/v1alpha1", spec: { tasks: [{ template: form }] } },
      ["spec.tasks[0].template"],
    ],
    CronTab: [
      { apiVersion: "stable.example/v1", spec: { podTemplate: form } },
      ["spec.podTemplate"],
    ],
    Template: [
      { objects: [{ kind: "Service" }, { kind: "Deployment", spec: { template: form } }] },
      ["objects[1].spec.template"],
    ],
  };
  for (const [kind, [rest, places]] of Object.entries(rows)) {
    test(kind, () => {
      const manifest = { kind, metadata: { name: "shop" }, ...rest };
      const found = podTemplatesOf(manifest);
      expect(found.map(({ place }) => place)).toEqual([...places]);
      for (const { pod, withPod } of found) {
        expect(Object(pod).metadata.annotations).toEqual(annotations);
        if (rest !== rows["Service"]?.[0]) expect(withPod(pod)).toEqual(manifest);
      }
      const other = {
        metadata: { labels: { a: "b" } },
        spec: { containers: [{ name: "x", image }] },
      };
      const all = found.reduce<unknown>((now, { withPod }) => withPod(other, now), manifest);
      const again = podTemplatesOf(all).map(({ pod }) => Object(pod).metadata.labels);
      expect(again).toEqual(places.map(() => ({ a: "b" })));
      expect(Array.isArray(Object(all).objects)).toBe(kind === "Template");
    });
  }
  test("Knative service whose container has no name gets one", () => {
    const [found] = podTemplatesOf({ kind: "Service", spec: { template: nameless } });
    expect(Object(found?.pod).spec.containers).toEqual([{ name: "main", image }]);
  });
  test("nest of aliases, and ends", () => {
    let nest: unknown = { template: form };
    for (let round = 0; round < 30; round++) nest = [nest, nest];
    expect(podTemplatesOf({ kind: "X", nest }).length).toBeLessThan(200_000);
    const circle: Record<string, unknown> = { kind: "X" };
    circle["self"] = circle;
    expect(podTemplatesOf(circle)).toBeEmpty();
  });
});
