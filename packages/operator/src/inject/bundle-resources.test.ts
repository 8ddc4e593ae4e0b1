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
    ["that says nothing, ours", {}, ours],
    [
      "that requests more, as much: a namespace may have a least",
      { requests: { cpu: "100m", memory: "1Gi" } },
      { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "256Mi" } },
    ],
    ["that requests less, ours", { requests: { cpu: "1m", memory: "1Mi" } }, ours],
    [
      "that has a lower limit, no more: a namespace may have a most",
      { limits: { memory: "64Mi" } },
      { requests: ours.requests, limits: { memory: "64Mi" } },
    ],
    [
      "that has a limit of the processor, the same: a quota may ask for one",
      { requests: { cpu: "50m" }, limits: { cpu: "500m", memory: "512Mi" } },
      { requests: { cpu: "50m", memory: "32Mi" }, limits: { cpu: "500m", memory: "256Mi" } },
    ],
    [
      "whose limits are below our requests, these",
      { limits: { cpu: "5m", memory: "16Mi" } },
      { requests: { cpu: "5m", memory: "16Mi" }, limits: { cpu: "5m", memory: "16Mi" } },
    ],
    [
      "in other units, the same by value",
      { requests: { cpu: 1, memory: "64000k" }, limits: { cpu: "2000m", memory: "0.1Gi" } },
      { requests: { cpu: 1, memory: "64000k" }, limits: { cpu: "2000m", memory: "0.1Gi" } },
    ],
    [
      "of class Guaranteed, the same",
      { limits: { cpu: "2", memory: "2Gi" } },
      { requests: { cpu: "2", memory: "2Gi" }, limits: { cpu: "2", memory: "2Gi" } },
    ],
    [
      "with further resources, nothing of these",
      { requests: { "example.test/gpu": "1" }, limits: { "example.test/gpu": "1" } },
      ours,
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
