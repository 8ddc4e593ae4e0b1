import { describe, expect, test } from "bun:test";
import type { Container, Pod, ResourceNeeds } from "../pod/pod.ts";
import { bundleResources } from "./bundle-resources.ts";
import { resolveInjection } from "./resolve-injection.ts";
import { goldenOperator } from "./testdata/golden-pods.ts";

const ours = { requests: { cpu: "10m", memory: "32Mi" }, limits: { memory: "256Mi" } };

function resourcesFor(app: ResourceNeeds, wrapperResources?: ResourceNeeds): ResourceNeeds {
  const container: Container = { name: "app", resources: app };
  const pod: Pod = { metadata: {}, spec: { containers: [container] } };
  const spec = wrapperResources === undefined ? {} : { wrapperResources };
  const config = { namespace: "shop", name: "default", spec };
  const operator = { ...goldenOperator, resources: ours };
  const wanted = { prefix: "svc.internal", values: {}, texts: new Map() };
  const resolved = resolveInjection(Object({ wanted, config, operator }));
  if (!resolved.ok) throw new TypeError(JSON.stringify(resolved.problems));
  return bundleResources(pod, container, resolved.settings);
}

describe("the init container that brings the wrapper gets, beside an application", () => {
  const rows: readonly (readonly [name: string, app: ResourceNeeds, ResourceNeeds])[] = [
    ["of class BestEffort, none", {}, { requests: {}, limits: {} }],
    [
      "that asks for 0, the same",
      { requests: { cpu: "0" } },
      { requests: { cpu: "0" }, limits: {} },
    ],
    [
      "that requests a processor, as much, and our memory",
      { requests: { cpu: "100m" } },
      { requests: { cpu: "100m", memory: "32Mi" }, limits: { memory: "256Mi" } },
    ],
    [
      "that requests little, as little, without a limit",
      { requests: { cpu: "1m", memory: "1Mi" } },
      { requests: { cpu: "1m", memory: "1Mi" }, limits: {} },
    ],
    [
      "with a limit alone, the same: the API server sets the request",
      { limits: { memory: "64Mi" } },
      { requests: { cpu: "10m" }, limits: { memory: "64Mi" } },
    ],
    [
      "whose limit is twice its request, the same: a namespace may bound the ratio",
      { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2", memory: "2Gi" } },
      { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2", memory: "2Gi" } },
    ],
    [
      "with disk, as much: a namespace may have a least and a most",
      {
        requests: { memory: "1Gi", "ephemeral-storage": "512Mi" },
        limits: { "ephemeral-storage": "1Gi" },
      },
      {
        requests: { cpu: "10m", memory: "1Gi", "ephemeral-storage": "512Mi" },
        limits: { "ephemeral-storage": "1Gi" },
      },
    ],
    [
      "of class Guaranteed, the same",
      { limits: { cpu: "2", memory: "2Gi" } },
      { requests: {}, limits: { cpu: "2", memory: "2Gi" } },
    ],
    [
      "with further resources, nothing of these",
      { requests: { cpu: "1", "example.test/gpu": "1" }, limits: { "example.test/gpu": "1" } },
      { requests: { cpu: "1", memory: "32Mi" }, limits: { memory: "256Mi" } },
    ],
  ];
  for (const [name, app, needs] of rows) {
    test(name, () => expect(resourcesFor(app)).toEqual(needs));
  }

  test("the SvcConfig's resources, of any size", () => {
    const own = { requests: { cpu: "1" }, limits: { cpu: "3", memory: "1Gi" } };
    const app = { requests: { cpu: "2" }, limits: { memory: "64Mi" } };
    expect(resourcesFor(app, own)).toEqual(own);
  });
});
