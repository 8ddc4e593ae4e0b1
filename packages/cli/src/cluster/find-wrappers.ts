import {
  type Container,
  type Pod,
  parsePod,
  reachedPort,
  readMarker,
  setsVariable,
} from "@svc/operator";
import { type Manifest, textsOf } from "./cluster-view.ts";

/** The wrapper of a container. */
export interface FoundWrapper {
  readonly pod: string;
  readonly container: string;
  /**
   * The pod and the port as the API server's proxy wants them: `web-0:8199`, `https:web-0:8199`.
   * Undefined if the wrapper listens on the pod's loopback alone.
   */
  readonly proxied: string | undefined;
}

/** The wrappers of pods that run, or are about to. Pure. */
export function findWrappers(pods: readonly Manifest[]): readonly FoundWrapper[] {
  return pods.flatMap((manifest) => {
    const { metadata, status } = manifest;
    const hasEnded = ["Succeeded", "Failed"].includes(String(Object(status).phase));
    const isEnding = Object(metadata).deletionTimestamp !== undefined;
    const parsed = parsePod(manifest);
    if (hasEnded || isEnding || !parsed.ok) return [];
    const name = String(Object(metadata).name);
    return wrappedContainers(parsed.pod).map((container) => ({
      pod: name,
      container: container.name,
      proxied: proxiedName(name, container),
    }));
  });
}

/** The prefix of the operator's annotations may be any. */
function wrappedContainers(pod: Pod): readonly Container[] {
  const names = Object.keys(textsOf(pod.metadata.annotations))
    .filter((name) => name.endsWith(MARKER))
    .flatMap((name) => {
      const read = readMarker(pod, name.slice(0, -MARKER.length));
      return read.ok ? read.marker.containers : [];
    });
  // A container that runs to completion before the others has no value that could be replaced.
  const sidecars = (pod.spec.initContainers ?? []).filter((one) => one.restartPolicy === "Always");
  return [...sidecars, ...pod.spec.containers].filter(({ name }) => names.includes(name));
}

const MARKER = "/injected";

function proxiedName(pod: string, container: Container): string | undefined {
  const port = reachedPort(container);
  if (port === undefined) return undefined;
  const scheme = setsVariable(container, "SVC_BROKER_TLS_CERT") ? "https:" : "";
  return `${scheme}${pod}:${port}`;
}
