import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import { type Log, pause } from "@svc/logging";
import { type BundleSource, bundleFacts } from "../inject/bundle-source.ts";

/** How pods get the wrapper in this cluster. */
export interface BundleChoice {
  /** The choice until the cluster's version is known. */
  readonly current: () => BundleSource;
  /** False while the API server was not asked and has to be. */
  readonly isKnown: () => boolean;
  /** Resolved when there is nothing more to ask. */
  readonly ended: Promise<void>;
}

const AGAIN_MS = 1000;
/** Image volumes are stable (KEP-4639). */
const LEAST_MINOR = 36;

/**
 * Asks the API server for its version if the operator may choose between an image volume and a
 * copy, again and again until it answers. A server that refuses the question gets copies.
 */
export function chooseBundle(
  source: BundleSource,
  { api, log }: { readonly api: KubernetesApi; readonly log: Log },
  signal: AbortSignal,
): BundleChoice {
  let current = source;
  let isKnown = bundleFacts(source).copy?.mountsWherePossible !== true;
  const ask = async () => {
    while (!isKnown && !signal.aborted) {
      const found = await askVersion(api, signal);
      if (found === undefined) {
        await pause(AGAIN_MS, signal);
        continue;
      }
      current = bundleFor(source, found.version);
      isKnown = true;
      const how = bundleFacts(current).copy
        ? "an init container copies it"
        : "its image is mounted";
      log("info", `pods get the wrapper: ${how}`, { kubernetes: found.text });
    }
  };
  return { current: () => current, isKnown: () => isKnown, ended: ask() };
}

/** The API server's version (`version.Info` of apimachinery). */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
}

/** How pods get the wrapper from an API server of this version, or of an unknown one. */
export function bundleFor(source: BundleSource, version: ServerVersion | undefined): BundleSource {
  const { copy } = bundleFacts(source);
  if (copy?.mountsWherePossible !== true) return source;
  const canMount =
    version !== undefined &&
    (version.major > 1 || (version.major === 1 && version.minor >= LEAST_MINOR));
  return canMount ? { kind: "image-volume", image: copy.image } : source;
}

/** Reads `{"major":"1","minor":"36+"}`; providers add a plus. */
export function parseVersion(value: unknown): ServerVersion | undefined {
  const { major, minor } = Object(value);
  if (!/^\d{1,4}$/.test(String(major)) || !/^\d{1,4}\+?$/.test(String(minor))) return undefined;
  return { major: Number(major), minor: Number.parseInt(String(minor), 10) };
}

interface FoundVersion {
  readonly version: ServerVersion | undefined;
  readonly text: string;
}

/** Undefined if it has to be asked again. */
async function askVersion(
  api: KubernetesApi,
  signal: AbortSignal,
): Promise<FoundVersion | undefined> {
  const operation = "ask for the version of the API server";
  try {
    const version = parseVersion(
      await api.ask({ method: "GET", path: "/version", operation, signal }),
    );
    return { version, text: version ? `${version.major}.${version.minor}` : "unknown" };
  } catch (error) {
    const isRefused = error instanceof KubernetesError && error.code === "KUBERNETES_REFUSED";
    return isRefused ? { version: undefined, text: "unknown" } : undefined;
  }
}
