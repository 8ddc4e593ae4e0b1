import { expect, test } from "bun:test";
import { asksElsewhere } from "./asks-elsewhere.ts";

const annotations = { "svc.internal/inject": "true" };
const asking = { metadata: { annotations }, spec: { containers: [{ name: "a", image: "b" }] } };
const silent = { spec: { containers: [{ name: "a", image: "b" }] } };

const rows: Readonly<Record<string, readonly [object: object, place: string | undefined]>> = {
  "a Spark driver": [
    { kind: "SparkApplication", spec: { image: "spark", driver: { annotations } } },
    "spec.driver.annotations",
  ],
  "a workflow's template": [
    {
      kind: "Workflow",
      spec: { templates: [{ container: { image: "a" }, metadata: { annotations } }] },
    },
    "spec.templates.0.metadata.annotations",
  ],
  "a workflow's pods": [
    { kind: "Workflow", spec: { podMetadata: { annotations } } },
    "spec.podMetadata.annotations",
  ],
  "a label of pods": [{ kind: "X", spec: { podLabels: annotations } }, "spec.podLabels"],
  "a pod template without images": [
    { kind: "Elasticsearch", spec: { nodeSets: [{ podTemplate: { metadata: { annotations } } }] } },
    "spec.nodeSets.0.podTemplate.metadata.annotations",
  ],
  "one of two places": [
    { kind: "SparkApplication", spec: { driver: { template: asking }, executor: { annotations } } },
    "spec.executor.annotations",
  ],
  "the object itself, if it has an image": [
    { kind: "X", metadata: { annotations }, spec: { image: "a" } },
    "metadata.annotations",
  ],
  "the object itself, and no template": [
    { kind: "Rollout", metadata: { annotations }, spec: { template: silent } },
    "metadata.annotations",
  ],
  "nothing, if a template asks": [
    { kind: "Rollout", metadata: { annotations }, spec: { template: asking } },
    undefined,
  ],
  "nothing, in a Deployment": [
    { kind: "Deployment", metadata: { annotations }, spec: { template: silent } },
    undefined,
  ],
  "nothing, in an object that has the label of all": [
    { kind: "ServiceMonitor", metadata: { labels: annotations }, spec: {} },
    undefined,
  ],
  "nothing, in the labels of a selector": [
    {
      kind: "MutatingWebhookConfiguration",
      webhooks: [{ objectSelector: { matchLabels: annotations } }],
    },
    undefined,
  ],
  "nothing, if it says no": [
    { kind: "X", spec: { driver: { annotations: { "svc.internal/inject": "false" } } } },
    undefined,
  ],
};
for (const [name, [object, place]] of Object.entries(rows)) {
  test(`the place in which an object asks is ${name}`, () => {
    expect(asksElsewhere(object, "svc.internal")).toBe(place as string);
  });
}
