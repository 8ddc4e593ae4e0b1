import { describe, expect, test } from "bun:test";
import { parsePod } from "../pod/parse-pod.ts";
import { decideInjection } from "./decide-injection.ts";
import { goldenOperator } from "./testdata/golden-pods.ts";
import { smallPod } from "./testdata/injected-container.ts";

const many = <T>(count: number, of: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => of(index));
const annotated = (entries: readonly (readonly [string, string])[]) => ({
  annotations: Object.fromEntries(entries),
});
const containers = (count: number) => many(count, (index) => ({ name: `c${index}` }));

/** The API server's request before it checks sizes: its own limits are applied after webhooks. */
const pods: Readonly<Record<string, Parameters<typeof smallPod>[0]>> = {
  "names every port there is": {
    container: { ports: many(64_512, (index) => ({ containerPort: 1024 + index })) },
  },
  "has 100,000 unknown annotations": annotated(many(100_000, (index) => [`log-${index}xxx`, ""])),
  "has 15,000 unknown annotations": annotated(many(15_000, (index) => [`log-${index}`, ""])),
  "names 30,000 containers, none of its 4,000": {
    ...annotated([["containers", many(30_000, (index) => `d${index}`).join(",")]]),
    spec: { containers: containers(4000) },
  },
  "leaves out 30,000 containers, none of its 4,000": {
    ...annotated([["skip-containers", many(30_000, (index) => `d${index}`).join(",")]]),
    spec: { containers: containers(4000) },
  },
  "has arguments that open references without an end": {
    container: { args: ["$(".repeat(1_000_000)] },
  },
  "has 1,500 containers with settings of 130 KB": {
    ...annotated([["env-map", many(10_000, (index) => `f${index}=V${index}`).join(",")]]),
    spec: { containers: containers(1500).map((one) => ({ ...one, command: ["/app"] })) },
  },
  "has volumes of all our names": {
    spec: {
      volumes: many(40_000, (index) => ({
        name: index === 0 ? "svc-bundle" : `svc-bundle-${index + 1}`,
      })),
    },
  },
};

/** The API server waits for ten seconds, and others wait as well. */
const MOST_MS = 20_000;

describe("an answer does not take long for a pod that", () => {
  for (const [name, small] of Object.entries(pods)) {
    test(name, () => {
      const parsed = parsePod(
        smallPod({ ...small, container: { command: ["/app"], ...small.container } }),
      );
      if (!parsed.ok) throw new TypeError(parsed.problems.join("; "));
      const context = { operator: goldenOperator, configOf: () => undefined, images: new Map() };
      const beganMs = performance.now();
      decideInjection({ pod: parsed.pod, operation: "CREATE" }, context);
      expect(performance.now() - beganMs).toBeLessThan(MOST_MS);
    });
  }
});
