import { describe, expect, test } from "bun:test";
import { applyPatch } from "../json-patch/apply-patch.ts";
import { decideInjection } from "./decide-injection.ts";
import type { BundleSource } from "./operator-settings.ts";
import { goldenOperator } from "./testdata/golden-pods.ts";
import { decideSmall, injectedPodOf, type SmallPod } from "./testdata/injected-container.ts";

const { bundle: copy } = goldenOperator;
const mounted: BundleSource = { kind: "image-volume", image: copy.image };
const limits = (memory: string | number) => ({ resources: { limits: { memory } } });

const cases: Readonly<
  Record<string, readonly [bundle: BundleSource, small: SmallPod, outcome: RegExp | undefined]>
> = {
  "is refused below 80Mi where the wrapper is copied": [
    copy,
    { container: limits("64Mi") },
    /^container app: must be given 80Mi of memory or more: the wrapper has to start in it: its limit is 64Mi \(raise its memory limit, or have the operator mount the image \("--bundle-source"\)\)$/,
  ],
  "is refused in whatever words it is told": [
    copy,
    { container: limits(50_331_648) },
    /must be given 80Mi .* its limit is 48Mi/,
  ],
  "is refused where it is the whole pod's": [
    copy,
    { spec: limits("60M") },
    /must be given 80Mi .* its limit is 57Mi/,
  ],
  "is refused below 48Mi where the image is mounted": [
    mounted,
    { container: limits("32Mi") },
    /must be given 48Mi of memory or more: .* its limit is 32Mi \(raise its memory limit\)$/,
  ],
  "is warned of below 96Mi where the wrapper is copied": [
    copy,
    { container: limits("80Mi") },
    /^container app: its limit is 80Mi: the wrapper starts slowly below 96Mi$/,
  ],
  "is warned of below 64Mi where the image is mounted": [
    mounted,
    { container: limits("48Mi") },
    /^container app: its limit is 48Mi: the wrapper starts slowly below 64Mi$/,
  ],
  "is enough from 96Mi on": [copy, { container: limits("96Mi") }, undefined],
  "is enough from 64Mi on where the image is mounted": [
    mounted,
    { container: limits("64Mi") },
    undefined,
  ],
  "is enough where there is none": [copy, {}, undefined],
};

describe("a memory limit", () => {
  for (const [name, [bundle, small, outcome]] of Object.entries(cases)) {
    test(name, () => {
      const decision = decideSmall({ ...small, operator: { bundle } });
      const said =
        decision.kind === "deny" ? decision.message.split("\n").slice(1, -1) : decision.warnings;
      expect(said).toEqual(outcome === undefined ? [] : [expect.stringMatching(outcome)]);
      expect(decision.kind).toBe(name.startsWith("is refused") ? "deny" : "patch");
    });
  }
});

test("a container that comes later has the wrapper as the others have it", () => {
  const operator = { ...goldenOperator, bundle: copy };
  const first = injectedPodOf({ operator: { bundle: copy } });
  const late = { name: "late", image: "late:1", command: ["/late"], ...limits("48Mi") };
  const pod = { ...first, spec: { ...first.spec, containers: [...first.spec.containers, late] } };
  const world = { operator, configOf: () => undefined, images: new Map() };
  const second = decideInjection({ pod, operation: "CREATE" }, world);
  expect(second).toMatchObject({ kind: "deny", message: expect.stringContaining("80Mi") });
  const mountedFirst = injectedPodOf({ operator: { bundle: mounted } });
  const containers = [...mountedFirst.spec.containers, late];
  const again = { ...mountedFirst, spec: { ...mountedFirst.spec, containers } };
  const third = decideInjection({ pod: again, operation: "CREATE" }, world);
  if (third.kind !== "patch") throw new TypeError(JSON.stringify(third));
  expect(Object(applyPatch(again, third.patch)).spec.volumes).toHaveLength(2);
});
