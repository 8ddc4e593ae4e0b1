import type { Container, Pod } from "../pod/pod.ts";
import { everyContainer } from "./choose-containers.ts";
import { withOwnProbe } from "./draining-probe.ts";
import { markedVolumes } from "./marker.ts";

/**
 * The pod without the remains of an injection in containers that do not start the wrapper any more,
 * so that they can be injected into again. The pod's volumes stay: the new injection uses them.
 */
export function withoutRemains(pod: Pod, stale: ReadonlySet<string>, prefix: string): Pod {
  if (!everyContainer(pod).some(({ container }) => stale.has(container.name))) return pod;
  const volumes = new Set(markedVolumes(pod, prefix));
  const cleared = (container: Container): Container =>
    stale.has(container.name) ? clear(withOwnProbe(container), volumes) : container;
  const { containers, initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(cleared),
      ...(initContainers && { initContainers: initContainers.map(cleared) }),
    },
  };
}

/** The names that the wrapper reads; those of the program stay. */
const wrapperNames = /^(?:SVC_|VAULT_|HEALTH_ADDR$|RENEWAL_INTERVAL$)/;

function clear(container: Container, volumes: ReadonlySet<string>): Container {
  const env = container.env ?? [];
  // The operator adds its variables behind the container's own, and this one is the first.
  const first = env.findIndex(({ name }) => name === "SVC_ORIGINAL_CMD");
  const kept = env.filter(({ name }, at) => first < 0 || at < first || !wrapperNames.test(name));
  const mounts = (container.volumeMounts ?? []).filter(({ name }) => !volumes.has(name));
  return { ...container, env: kept, volumeMounts: mounts };
}

/** The sentence about each of them. */
export function staleWarnings(pod: Pod, stale: ReadonlySet<string>): readonly string[] {
  return everyContainer(pod).flatMap(({ container: { name } }) =>
    stale.has(name)
      ? [
          `container ${name}: it had a wrapper, and its command is another one now: it got a new one`,
        ]
      : [],
  );
}
