import type { ImageConfig } from "../../image/image-config.ts";
import { applyPatch } from "../../json-patch/apply-patch.ts";
import { parsePod } from "../../pod/parse-pod.ts";
import type { Container, Pod, PodSpec } from "../../pod/pod.ts";
import type { SvcConfigSpec } from "../../svc-config/svc-config.ts";
import { decideInjection } from "../decide-injection.ts";
import type { Injection } from "../injection.ts";
import type { OperatorSettings } from "../operator-settings.ts";
import { goldenOperator } from "./golden-pods.ts";

/** A pod with one container called `app`, and its differences from the smallest injected pod. */
export interface SmallPod {
  /** Without the prefix. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Annotations of the least that are left out. */
  readonly without?: readonly string[];
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
  readonly config?: SvcConfigSpec;
  readonly image?: ImageConfig;
  readonly operator?: Partial<OperatorSettings>;
  /** The namespace of the request; by default the pod's own. */
  readonly namespace?: string;
}

const least: Readonly<Record<string, string>> = {
  inject: "true",
  "vault-address": "https://vault.test:8200",
  "vault-role": "app",
  "secret-paths": "secret/data/app",
  "env-map": "password=DB_PASSWORD",
};

/** The pod that admission would see. */
export function smallPod({ annotations, without = [], container, spec }: SmallPod): Pod {
  const said = Object.entries({ ...least, ...annotations })
    .filter(([name]) => !without.includes(name))
    .map(([name, text]) => [`svc.internal/${name}`, text] as const);
  return {
    metadata: { name: "small", namespace: "shop", annotations: Object.fromEntries(said) },
    spec: { containers: [{ name: "app", image: "app:1", ...container }], ...spec },
  };
}

/** The decision about the pod. Its container has a command unless an image is given. */
export function decideSmall(small: SmallPod): Injection {
  const { image, config: spec, operator, namespace } = small;
  const container =
    image === undefined ? { command: ["/app"], ...small.container } : small.container;
  const config = spec && { namespace: "shop", name: "default", spec };
  const images = new Map(image && [["app:1", { kind: "found", config: image } as const]]);
  const pod = smallPod({ ...small, ...(container && { container }) });
  return decideInjection(
    { pod, operation: "CREATE", ...(namespace !== undefined && { namespace }) },
    { operator: { ...goldenOperator, ...operator }, configOf: () => config, images },
  );
}

/** The pod with its patch. Throws if there is none. */
export function injectedPodOf(small: SmallPod): Pod {
  const decision = decideSmall(small);
  if (decision.kind !== "patch") throw new TypeError(`no patch: ${JSON.stringify(decision)}`);
  const { image, container } = small;
  const pod = smallPod(
    image === undefined ? { ...small, container: { command: ["/app"], ...container } } : small,
  );
  const parsed = parsePod(applyPatch(pod, decision.patch));
  if (!parsed.ok) throw new TypeError(parsed.problems.join("; "));
  return parsed.pod;
}

/** The container with its wrapper. */
export function injectedContainer(small: SmallPod): Container {
  const container = injectedPodOf(small).spec.containers.find(({ name }) => name === "app");
  if (container === undefined) throw new TypeError("the container is gone");
  return container;
}
