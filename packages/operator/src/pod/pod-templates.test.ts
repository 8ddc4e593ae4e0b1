import { describe, expect, test } from "bun:test";
import { podKinds, podTemplateOf } from "./pod-templates.ts";

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
      const found = podTemplateOf(manifest);
      expect(found).toMatchObject({ kind, name: "shop", namespace: "bank", pod: { spec } });
      expect(Object(found?.pod).metadata.annotations).toEqual(annotations);
      expect(found?.withPod(found.pod)).toEqual(manifest);
      const other = { ...Object(found?.pod), spec: { containers: [] } };
      expect(podTemplateOf(found?.withPod(other))?.pod).toEqual(other);
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
  ];
  for (const other of others) {
    test(JSON.stringify(other), () => expect(podTemplateOf(other)).toBeUndefined());
  }
});

test("a manifest without a template gives a pod that cannot be read, and does not throw", () => {
  expect(podTemplateOf({ kind: "CronJob", metadata: { name: "x" } })?.pod).toMatchObject({
    metadata: { generateName: "x-" },
  });
});
