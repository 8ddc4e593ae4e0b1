import { describe, expect, test } from "bun:test";
import { applyPatch } from "../json-patch/apply-patch.ts";
import type { Container } from "../pod/pod.ts";
import { decideSmall, type SmallPod, smallPod } from "./testdata/injected-container.ts";

/** The rotation of each container, and the warnings about it. */
function rotationsOf(small: SmallPod) {
  const injection = decideSmall({ container: { command: ["/app"] }, ...small });
  if (injection.kind !== "patch") throw new TypeError(JSON.stringify(injection));
  const { spec } = Object(
    applyPatch(smallPod({ container: { command: ["/app"] }, ...small }), injection.patch),
  );
  const containers: readonly Container[] = [...(spec.initContainers ?? []), ...spec.containers];
  const rotations = containers.flatMap(({ name, env }) => {
    const found = env?.find((entry) => entry.name === "SVC_ROTATION");
    return found === undefined ? [] : [[name, found.value]];
  });
  const warnings = injection.warnings.filter((text) => text.includes("runs to completion"));
  return { rotations: Object.fromEntries(rotations), warnings };
}

const command = ["/x"];
const migrate = { name: "migrate", image: "m:1", command };
const inits = { "inject-init-containers": "true" };

describe("the rotation of a pod's containers is", () => {
  const rows: Readonly<Record<string, readonly [SmallPod, object, warned: string | undefined]>> = {
    "restart if they are started again": [{}, { app: "restart" }, undefined],
    "none in a Job": [{ spec: { restartPolicy: "Never" } }, { app: "none" }, "container app"],
    "none in a Job that tries again": [
      { spec: { restartPolicy: "OnFailure" } },
      { app: "none" },
      "container app",
    ],
    "none for an init container": [
      { spec: { initContainers: [migrate] }, annotations: inits },
      { migrate: "none", app: "restart" },
      "container migrate",
    ],
    "restart for the sidecar of a Job": [
      {
        spec: {
          restartPolicy: "Never",
          initContainers: [{ ...migrate, restartPolicy: "Always" }],
        },
      },
      { migrate: "restart", app: "none" },
      "container app",
    ],
    "none for one that has its own policy": [
      { container: { command, restartPolicy: "Never" } },
      { app: "none" },
      "container app",
    ],
    "none for all that run to completion": [
      { spec: { restartPolicy: "Never", initContainers: [migrate] }, annotations: inits },
      { migrate: "none", app: "none" },
      "containers migrate, app",
    ],
    "the annotation's": [
      { spec: { restartPolicy: "Never" }, annotations: { rotation: "restart" } },
      { app: "restart" },
      undefined,
    ],
    "the SvcConfig's": [
      { spec: { restartPolicy: "Never" }, config: { rotation: "sighup" } },
      { app: "sighup" },
      undefined,
    ],
    "the container's own": [
      {
        spec: { restartPolicy: "Never" },
        container: { command, env: [{ name: "SVC_ROTATION", value: "restart" }] },
      },
      { app: "restart" },
      undefined,
    ],
  };
  for (const [name, [small, rotations, warned]] of Object.entries(rows)) {
    test(name, () => {
      const found = rotationsOf(small);
      expect(found.rotations).toEqual(rotations);
      expect(found.warnings.map((text) => text.split(": the work")[0])).toEqual(
        warned === undefined ? [] : [warned],
      );
    });
  }
});
