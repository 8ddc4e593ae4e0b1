import { describe, expect, test } from "bun:test";
import type { Container } from "../pod/pod.ts";
import { decideInjection } from "./decide-injection.ts";
import { goldenOperator } from "./testdata/golden-pods.ts";
import { injectedPodOf, type SmallPod } from "./testdata/injected-container.ts";

describe("the init container is", () => {
  type User = number | undefined;
  const users: Readonly<
    Record<string, readonly [container: User, pod: User, operator: User, found: User]>
  > = {
    "of the operator's user if no user is named": [undefined, undefined, 65_532, 65_532],
    "of the container's user": [1000, undefined, 65_532, 1000],
    "of the container's user before the pod's": [1000, 2000, 65_532, 1000],
    "of the pod's user": [undefined, 2000, 65_532, undefined],
    "not root though the container is": [0, undefined, 65_532, 65_532],
    "not root though the pod is": [undefined, 0, 65_532, 65_532],
    "of the platform's choice": [undefined, undefined, undefined, undefined],
  };
  for (const [name, [container, pod, user, found]] of Object.entries(users)) {
    test(name, () => {
      const { bundle } = goldenOperator;
      if (bundle.kind !== "copy") throw new TypeError("the golden operator copies");
      const context = bundleOf({
        operator: { bundle: { ...bundle, user } },
        container: {
          ...(container !== undefined && { securityContext: { runAsUser: container } }),
        },
        spec: { ...(pod !== undefined && { securityContext: { runAsUser: pod } }) },
      }).securityContext;
      expect([context?.runAsUser, context?.runAsNonRoot]).toEqual([found, true]);
    });
  }

  test("root only if the pod is and the operator names no user", () => {
    const { bundle } = goldenOperator;
    if (bundle.kind !== "copy") throw new TypeError("the golden operator copies");
    const operator = { bundle: { ...bundle, user: undefined } };
    const context = bundleOf({ operator, spec: { securityContext: { runAsUser: 0 } } });
    expect(context.securityContext).not.toHaveProperty("runAsNonRoot");
  });

  test("without its own requests if the pod has them for all its containers", () => {
    const resources = { requests: { cpu: "5m" }, limits: { memory: "96Mi" } };
    expect(bundleOf({ spec: { resources } }).resources).toEqual({ requests: {}, limits: {} });
    expect(bundleOf({ spec: { resources: { requests: { cpu: "1" } } } }).resources).toEqual({
      requests: { memory: "32Mi" },
      limits: { memory: "256Mi" },
    });
  });
  test("of the resources of the SvcConfig", () => {
    const wrapperResources = { limits: { memory: "64Mi" } };
    const container = { resources: { requests: { cpu: "1" } } };
    expect(bundleOf({ config: { wrapperResources }, container }).resources).toEqual(
      wrapperResources,
    );
  });

  test("allowed the disk that the application may take, and no more", () => {
    const disk = {
      requests: { "ephemeral-storage": "1Gi" },
      limits: { "ephemeral-storage": "1Gi" },
    };
    expect(bundleOf({ container: { resources: disk } }).resources).toEqual(disk);
  });

  test("before an init container that another webhook put in front and that is injected into", () => {
    const annotations = { "inject-init-containers": "true" };
    const first = injectedPodOf({ annotations });
    const late = { name: "late", image: "late:1", command: ["/late"] };
    const initContainers = [late, ...(first.spec.initContainers ?? [])];
    const pod = { ...first, spec: { ...first.spec, initContainers } };
    const second = decideInjection(
      { pod, operation: "CREATE" },
      { operator: goldenOperator, configOf: () => undefined, images: new Map() },
    );
    if (second.kind !== "patch") throw new TypeError("no second patch");
    const moved = second.patch.find(({ path }) => path === "/spec/initContainers");
    const names = moved !== undefined && "value" in moved ? Object(moved.value) : [];
    expect(names.map((container: Container) => container.name)).toEqual(["svc-bundle", "late"]);
  });

  function bundleOf(small: SmallPod): Container {
    const [container] = injectedPodOf(small).spec.initContainers ?? [];
    if (container === undefined) throw new TypeError("no init container");
    return container;
  }
});
