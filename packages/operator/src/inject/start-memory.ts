import type { Problem } from "@svc/settings";
import type { Container, Pod } from "../pod/pod.ts";
import { quantityOf } from "../pod/quantity.ts";
import { type BundleSource, bundleFacts } from "./bundle-source.ts";
import { problemOf } from "./container-problems.ts";
import type { Marker } from "./marker.ts";

const MIB = 1024 ** 2;

/**
 * MiB of a container's memory limit. Below `least` the wrapper's pages, which count as the
 * container's, push each other out of memory. Below `easy` little is left for the program.
 * Measured: docs/decisions/0040.
 */
const needed = { least: 12, easy: 16 } as const;

/** Why a container's limit is too small for the wrapper's start, and the cost of a small one. */
export interface StartMemory {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** Judges a container's memory limit, or that of the pod as a whole. */
export function startMemory(container: Container, podLimit: number): StartMemory {
  const { least, easy } = needed;
  const limit = Math.min(limitOf(container), podLimit);
  if (limit >= easy * MIB) return { problems: [], warnings: [] };
  const found = `its limit is ${Math.floor(limit / MIB)}Mi`;
  if (limit >= least * MIB) {
    const slow = `container ${container.name}: ${found}: the wrapper itself needs ${least}Mi of it`;
    return { problems: [], warnings: [slow] };
  }
  const problem = problemOf(container, {
    wanted: `given ${least}Mi of memory or more: the wrapper has to start in it`,
    found,
    hint: "raise its memory limit",
  });
  return { problems: [problem], warnings: [] };
}

/** The limit of all containers of a pod together, in bytes. */
export function podMemoryLimit({ spec }: Pod): number {
  return limitOf({ resources: spec.resources ?? null });
}

function limitOf({ resources }: Pick<Container, "resources">): number {
  const limit = resources?.limits?.["memory"];
  return (limit === undefined ? undefined : quantityOf(limit)) ?? Number.POSITIVE_INFINITY;
}

/** How the wrapper gets into this pod: as it got there already, else as the operator is set to. */
export function bundleSourceFor(
  pod: Pod,
  { bundle, marker }: { readonly bundle: BundleSource; readonly marker: Marker },
): BundleSource {
  const there = (pod.spec.volumes ?? []).find(({ name }) => name === marker.volumes.bundle);
  if (there === undefined) return bundle;
  if ("csi" in there) return { kind: "csi" };
  const { image } = bundleFacts(bundle);
  return "image" in there && image !== undefined ? { kind: "image-volume", image } : bundle;
}
