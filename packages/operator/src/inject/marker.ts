import { type Problem, problem } from "@svc/settings";
import type { Pod } from "../pod/pod.ts";
import type { VolumePart } from "./attachment.ts";
import { everyContainer } from "./choose-containers.ts";
import { setsVariable } from "./own-variables.ts";

/** The result of an injection, in the pod's annotation `injected`. */
export interface Marker {
  /** The containers that have a wrapper. */
  readonly containers: readonly string[];
  /** The init container that brings the wrapper, if there is one. */
  readonly bundleContainer?: string;
  /** The SvcConfig whose settings it has, `shop/default`; by it pods of a SvcConfig are counted. */
  readonly config?: string;
  /** The names of the volumes that were added. */
  readonly volumes: Readonly<Partial<Record<VolumePart, string>>>;
}

/** The marker of a new pod. */
export const noMarker: Marker = { containers: [], volumes: {} };

/** The label of pods that have a marker, so that a list can be asked for them alone. */
export function injectedLabel(prefix: string): readonly [name: string, value: string] {
  return [`${prefix}/injected`, "true"];
}

/** The SvcConfig in an annotation's text; undefined if it says none. */
export function markedConfig(text: string): string | undefined {
  return parsed(text)?.config;
}

/** A marker, or the reason why the annotation is invalid. */
export type ReadMarker =
  | { readonly ok: true; readonly marker: Marker }
  | { readonly ok: false; readonly problem: Problem };

/** Reads the marker. One that names a container without a wrapper was copied or made up. */
export function readMarker(pod: Pod, prefix: string): ReadMarker {
  const variable = `${prefix}/injected`;
  const text = pod.metadata.annotations?.[variable] ?? "";
  if (text === "") return { ok: true, marker: noMarker };
  const marker = parsed(text);
  const found = marker === undefined ? "it is not" : untrue(marker, pod);
  if (marker !== undefined && found === undefined) return { ok: true, marker };
  const hint = "take the annotation out: the operator sets it";
  const parts = { variable, wanted: "as the operator set it", found: found ?? "", hint };
  return { ok: false, problem: problem(parts) };
}

/** The contradiction between the marker and the pod; undefined if there is none. */
function untrue({ containers, bundleContainer, volumes }: Marker, pod: Pod): string | undefined {
  const byName = new Map(everyContainer(pod).map(({ container }) => [container.name, container]));
  const bare = containers.find((name) => {
    const container = byName.get(name);
    return container === undefined || !setsVariable(container, "SVC_ORIGINAL_CMD");
  });
  if (bare !== undefined) return `it names ${bare}, which has no wrapper`;
  if (bundleContainer !== undefined && !byName.has(bundleContainer)) {
    return `it names the init container ${bundleContainer}, which the pod does not have`;
  }
  const present = new Set((pod.spec.volumes ?? []).map(({ name }) => name));
  const absent = Object.values(volumes).find((name) => !present.has(name));
  return absent && `it names the volume ${absent}, which the pod does not have`;
}

/** The containers that are not to be looked at again. */
export function settledContainers({ containers, bundleContainer }: Marker): readonly string[] {
  return bundleContainer === undefined ? containers : [...containers, bundleContainer];
}

/** The annotation's text. */
export function markerText(marker: Marker): string {
  return JSON.stringify(marker);
}

function parsed(text: string): Marker | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMarker(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMarker(value: unknown): value is Marker {
  if (!isObject(value)) return false;
  const { containers, volumes, bundleContainer, config } = value;
  return (
    Array.isArray(containers) &&
    containers.every((name) => typeof name === "string") &&
    (bundleContainer === undefined || typeof bundleContainer === "string") &&
    (config === undefined || typeof config === "string") &&
    isObject(volumes) &&
    Object.values(volumes).every((name) => typeof name === "string")
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
