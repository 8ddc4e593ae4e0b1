import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { applyPatch } from "../json-patch/apply-patch.ts";
import { parsePod } from "../pod/parse-pod.ts";
import type { Pod } from "../pod/pod.ts";
import { decideInjection } from "./decide-injection.ts";
import { decided, expectedText, type GoldenPod, goldenPods } from "./testdata/golden-pods.ts";

const everyPod = goldenPods();
const patched = everyPod.filter((golden) => decided(golden).kind === "patch");

describe("what becomes of", () => {
  for (const golden of everyPod) {
    test(`${golden.name} equals the reviewed result`, () => {
      expect(expectedText(golden)).toBe(readFileSync(golden.expectedPath, "utf8"));
    });
  }
});

describe("applied, the patch of", () => {
  for (const golden of patched) {
    test(`${golden.name} is not made again`, () => {
      const again = decideInjection({ pod: injected(golden), operation: "CREATE" }, golden.context);
      expect(again).toEqual({ kind: "skip", reason: "it is injected already", warnings: [] });
    });

    test(`${golden.name} leaves all else as it was`, () => {
      const { pod } = golden;
      const names = ({ spec }: Pod) => spec.containers.map(({ name }) => name);
      const after = injected(golden);
      expect(names(after)).toEqual(names(pod));
      expect(after.spec.volumes?.slice(0, pod.spec.volumes?.length ?? 0)).toEqual([
        ...(pod.spec.volumes ?? []),
      ]);
      const keep = ["image", "ports", "resources", "envFrom", "workingDir", "imagePullPolicy"];
      for (const [index, container] of pod.spec.containers.entries()) {
        for (const field of keep) {
          expect(after.spec.containers[index]?.[field]).toEqual(container[field]);
        }
        const env = container.env ?? [];
        const envAfter = after.spec.containers[index]?.env ?? [];
        expect(envAfter.slice(0, env.length)).toEqual([...env]);
      }
    });

    test(`${golden.name} is followed by one for a container that comes later`, () => {
      const first = injected(golden);
      const late = { name: "late", image: "registry.test/late:1", command: ["/late"] };
      const containers = [...first.spec.containers, late];
      const pod = { ...first, spec: { ...first.spec, containers } };
      const second = decideInjection({ pod, operation: "CREATE" }, golden.context);
      if (second.kind !== "patch") throw new TypeError(`a second patch: got ${second.kind}`);
      expect(second.summary.containers.map(({ name }) => name)).toEqual(["late"]);
      const paths = second.patch.map(({ path }) => path);
      expect(paths.filter((path) => path.startsWith("/spec/initContainers"))).toEqual([]);
      const after = podOf(applyPatch(pod, second.patch));
      expect(after.spec.containers.at(-1)?.command?.[0]).toBe("/opt/svc/bin/svc-wrapper");
      expect(healthPorts(after)).toHaveLength(new Set(healthPorts(after)).size);
    });
  }
});

for (const golden of everyPod) {
  test(`an update of ${golden.name} changes nothing`, () => {
    const asked = { pod: golden.pod, operation: "UPDATE" };
    expect(decideInjection(asked, golden.context).kind).toBe("skip");
  });
}

test("the same pod gets the same answer, and stays as it is", () => {
  for (const golden of everyPod) {
    const before = JSON.stringify(golden.pod);
    expect(decided(golden)).toEqual(decided(golden));
    expect(JSON.stringify(golden.pod)).toBe(before);
  }
});

function injected(golden: GoldenPod): Pod {
  const decision = decided(golden);
  if (decision.kind !== "patch") throw new TypeError(`${golden.name}: got no patch`);
  return podOf(applyPatch(golden.pod, JSON.parse(JSON.stringify(decision.patch))));
}

function podOf(value: unknown): Pod {
  const parsed = parsePod(value);
  if (!parsed.ok) throw new TypeError(parsed.problems.join("; "));
  return parsed.pod;
}

/** The addresses of all wrappers of a pod but those that take any port. */
function healthPorts({ spec }: Pod): readonly string[] {
  return [...spec.containers, ...(spec.initContainers ?? [])]
    .filter(({ env }) => env?.some(({ name }) => name === "SVC_ORIGINAL_CMD"))
    .map(({ env }) => env?.find(({ name }) => name === "HEALTH_ADDR")?.value ?? ":8199")
    .filter((address) => !address.endsWith(":0"));
}
