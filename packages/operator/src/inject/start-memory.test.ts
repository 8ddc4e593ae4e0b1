import { describe, expect, test } from "bun:test";
import { applyPatch } from "../json-patch/apply-patch.ts";
import type { BundleSource } from "./bundle-source.ts";
import { decideInjection } from "./decide-injection.ts";
import { goldenOperator } from "./testdata/golden-pods.ts";
import { decideSmall, injectedPodOf, type SmallPod } from "./testdata/injected-container.ts";

const { bundle: copy } = goldenOperator;
const mounted: BundleSource = { kind: "image-volume", image: "registry.test/svc:1" };
const limits = (memory: string | number) => ({ resources: { limits: { memory } } });

const cases: Readonly<Record<string, readonly [small: SmallPod, outcome: RegExp | undefined]>> = {
  "is refused below 12Mi": [
    { container: limits("8Mi") },
    /^container app: must be given 12Mi of memory or more: the wrapper has to start in it: its limit is 8Mi \(raise its memory limit\)$/,
  ],
  "is refused in every spelling": [
    { container: limits(8_388_608) },
    /must be given 12Mi .* its limit is 8Mi/,
  ],
  "is refused if it is the whole pod's": [
    { spec: limits("10M") },
    /must be given 12Mi .* its limit is 9Mi/,
  ],
  "is warned of below 16Mi": [
    { container: limits("12Mi") },
    /^container app: its limit is 12Mi: the wrapper itself needs 12Mi of it$/,
  ],
  "is enough from 16Mi on": [{ container: limits("16Mi") }, undefined],
  "is enough if there is none": [{}, undefined],
};

describe("a memory limit", () => {
  for (const [name, [small, outcome]] of Object.entries(cases)) {
    test(name, () => {
      const decision = decideSmall(small);
      const said =
        decision.kind === "deny" ? decision.message.split("\n").slice(1, -1) : decision.warnings;
      expect(said).toEqual(outcome === undefined ? [] : [expect.stringMatching(outcome)]);
      expect(decision.kind).toBe(name.startsWith("is refused") ? "deny" : "patch");
    });
  }
});

test("a container that comes later has the wrapper as the others have it", () => {
  const operator = { ...goldenOperator, bundle: copy };
  const late = { name: "late", image: "late:1", command: ["/late"] };
  const mountedFirst = injectedPodOf({ operator: { bundle: mounted } });
  const containers = [...mountedFirst.spec.containers, late];
  const pod = { ...mountedFirst, spec: { ...mountedFirst.spec, containers } };
  const context = { operator, configOf: () => undefined, images: new Map() };
  const decision = decideInjection({ pod, operation: "CREATE" }, context);
  if (decision.kind !== "patch") throw new TypeError(JSON.stringify(decision));
  expect(Object(applyPatch(pod, decision.patch)).spec.volumes).toHaveLength(2);
});
