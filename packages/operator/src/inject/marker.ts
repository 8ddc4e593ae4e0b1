import { type Problem, problem } from "@svc/settings";
import type { Container, Pod } from "../pod/pod.ts";
import type { VolumePart } from "./attachment.ts";
import { everyContainer } from "./choose-containers.ts";
import { setsVariable } from "./own-variables.ts";
import { WRAPPER } from "./paths.ts";

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

/** The names of the volumes in a pod's annotation. */
export function markedVolumes({ metadata }: Pod, prefix: string): readonly string[] {
  return Object.values(parsed(metadata.annotations?.[`${prefix}/injected`] ?? "")?.volumes ?? {});
}

/** A marker, or the reason why the annotation is invalid. */
export type ReadMarker =
  | {
      readonly ok: true;
      readonly marker: Marker;
      /** Containers that the annotation names, and that do not start the wrapper. */
      readonly stale: ReadonlySet<string>;
    }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Reads the marker, as far as it is true. A copy of a pod may have the annotation and another
 * command: `kubectl debug --copy-to` replaces it. Such a container would start without secrets.
 */
export function readMarker(pod: Pod, prefix: string): ReadMarker {
  const variable = `${prefix}/injected`;
  const text = pod.metadata.annotations?.[variable] ?? "";
  if (text === "") return { ok: true, marker: noMarker, stale: new Set() };
  const said = parsed(text);
  if (said === undefined) return { ok: false, problem: untrue(variable, "it is not") };
  const wrapped = new Set(
    everyContainer(pod).flatMap(({ container }) =>
      startsWrapper(container) ? [container.name] : [],
    ),
  );
  const containers = said.containers.filter((name) => wrapped.has(name));
  const stale = new Set(said.containers.filter((name) => !wrapped.has(name)));
  const absent = absentPart(said, pod);
  if (absent === undefined) return { ok: true, marker: { ...said, containers }, stale };
  if (containers.length === 0) return { ok: true, marker: noMarker, stale };
  return {
    ok: false,
    problem: untrue(variable, `it names ${absent}, which the pod does not have`),
  };
}

function untrue(variable: string, found: string): Problem {
  const hint = "take the annotation out: the operator sets it";
  return problem({ variable, wanted: "as the operator set it", found, hint });
}

/** The wrapper may be behind a launcher and its arguments. */
function startsWrapper(container: Container): boolean {
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  return words.includes(WRAPPER) && setsVariable(container, "SVC_ORIGINAL_CMD");
}

/** A part that the marker names and the pod does not have; undefined if all are there. */
function absentPart({ bundleContainer, volumes }: Marker, pod: Pod): string | undefined {
  const names = everyContainer(pod).map(({ container }) => container.name);
  if (bundleContainer !== undefined && !names.includes(bundleContainer)) {
    return `the init container ${bundleContainer}`;
  }
  const present = new Set((pod.spec.volumes ?? []).map(({ name }) => name));
  const absent = Object.values(volumes).find((name) => !present.has(name));
  return absent && `the volume ${absent}`;
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
