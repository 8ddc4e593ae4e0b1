import { describe, expect, test } from "bun:test";
import { applyPatch } from "../json-patch/apply-patch.ts";
import { parsePod } from "../pod/parse-pod.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { decideInjection } from "./decide-injection.ts";
import { goldenOperator } from "./testdata/golden-pods.ts";
import { injectedPodOf } from "./testdata/injected-container.ts";

const context = { operator: goldenOperator, configOf: () => undefined, images: new Map() };
const decide = (pod: Pod) => decideInjection({ pod, operation: "CREATE" }, context);
const own = { command: ["/app"], env: [{ name: "MODE", value: "x" }], volumeMounts: [] };
const injected = injectedPodOf({
  container: own,
  annotations: { "vault-auth-method": "kubernetes" },
});

/** A copy with changes of its container. */
function copyOf(changes: Partial<Container>, spec: Partial<Pod["spec"]> = {}): Pod {
  const containers = injected.spec.containers.map((container) => ({ ...container, ...changes }));
  return { ...injected, spec: { ...injected.spec, containers, ...spec } };
}

function injectedAgain(pod: Pod) {
  const injection = decide(pod);
  if (injection.kind !== "patch") throw new TypeError(JSON.stringify(injection));
  const parsed = parsePod(applyPatch(pod, injection.patch));
  if (!parsed.ok) throw new TypeError(parsed.problems.join());
  return { pod: parsed.pod, warnings: injection.warnings };
}

test("a copied pod with another command has its readiness asked in the same way again", () => {
  const permits = { address: "https://svc-operator.svc-system.svc:8444", authorityPem: "PEM" };
  const readinessProbe = { httpGet: { port: 8080, path: "/ready" }, timeoutSeconds: 3 };
  const first = injectedPodOf({ container: { ...own, readinessProbe }, operator: { permits } });
  const containers = first.spec.containers.map((one) => ({ ...one, command: ["/other"] }));
  const copy = { ...first, spec: { ...first.spec, containers } };
  const operator = { ...goldenOperator, permits };
  const injection = decideInjection({ pod: copy, operation: "CREATE" }, { ...context, operator });
  if (injection.kind !== "patch") throw new TypeError(JSON.stringify(injection));
  const again = parsePod(applyPatch(copy, injection.patch));
  const [before, after] = [first, again.ok ? again.pod : undefined].map(
    (pod) => pod?.spec.containers[0],
  );
  const probeOf = (container: Container | undefined) => ({
    probe: container?.readinessProbe,
    asked: container?.env?.find(({ name }) => name === "SVC_READINESS_PROBE")?.value,
  });
  expect(probeOf(after)).toEqual(probeOf(before));
  expect(probeOf(after).probe?.httpGet?.path).toBe("/readyz/program");
});

describe("a copied pod", () => {
  test("that has its wrapper is left alone", () => {
    expect(decide(copyOf({}))).toMatchObject({ kind: "skip", reason: "it is injected already" });
  });

  test("whose wrapper is behind a launcher is left alone", () => {
    const [wrapper = ""] = injected.spec.containers[0]?.command ?? [];
    const command = ["/var/run/argo/argoexec", "emissary", "--", wrapper];
    expect(decide(copyOf({ command }))).toMatchObject({ kind: "skip" });
  });

  test("with another command gets a new wrapper, and nothing twice", () => {
    const { pod, warnings } = injectedAgain(copyOf({ command: ["sh", "-i"] }));
    const [container] = pod.spec.containers;
    expect(container?.command).toEqual(injected.spec.containers[0]?.command as string[]);
    const names = (container?.env ?? []).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(container?.env).toContainEqual({ name: "SVC_ORIGINAL_CMD", value: '["sh","-i"]' });
    expect(container?.env).toContainEqual({ name: "MODE", value: "x" });
    expect(container?.volumeMounts).toEqual(injected.spec.containers[0]?.volumeMounts as []);
    expect([pod.spec.volumes, pod.spec.initContainers]).toEqual([
      injected.spec.volumes,
      injected.spec.initContainers,
    ] as never);
    expect(pod.metadata.annotations).toEqual({ ...injected.metadata.annotations });
    expect(warnings).toContain(
      "container app: it had a wrapper, and its command is another one now: it got a new one",
    );
    expect(decide(pod)).toMatchObject({ kind: "skip" });
  });

  test("keeps a variable that was added to the copy", () => {
    const added = { name: "DEBUG", value: "1" };
    const env = [...(injected.spec.containers[0]?.env ?? []), added];
    const [container] = injectedAgain(copyOf({ command: ["sh"], env })).pod.spec.containers;
    expect(container?.env).toContainEqual(added);
  });

  test("with the annotation alone is injected into as if it had none", () => {
    const plain = copyOf({ ...own }, { volumes: [], initContainers: [] });
    const { pod } = injectedAgain(plain);
    expect(pod.spec.volumes).toEqual(injected.spec.volumes as never);
  });

  test("with the wrapper and without its volumes is refused", () => {
    expect(decide(copyOf({}, { volumes: [] }))).toMatchObject({
      kind: "deny",
      message: expect.stringContaining("which the pod does not have"),
    });
  });
});
