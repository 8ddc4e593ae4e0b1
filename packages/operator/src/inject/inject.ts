import { problem } from "@svc/settings";
import { patchBetween } from "../json-patch/patch-between.ts";
import type { Pod } from "../pod/pod.ts";
import { addedSizeProblems } from "./added-size.ts";
import {
  type ChosenContainers,
  chooseContainers,
  everyContainer,
  type Target,
} from "./choose-containers.ts";
import { completionWarnings, settingsFor } from "./completing-containers.ts";
import { findProgram, type ImageAnswer, needsImage } from "./find-program.ts";
import { handOverProblems, settingsOfHandOver } from "./hand-over.ts";
import { type HealthEndpoint, healthEndpoints } from "./health-endpoints.ts";
import { injectedPod } from "./injected-pod.ts";
import type { Injection, InjectionSummary } from "./injection.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { type Marker, readMarker, settledContainers } from "./marker.ts";
import type { OperatorSettings } from "./operator-settings.ts";
import { redirectionProblems } from "./redirections.ts";
import { refusal } from "./refusal.ts";
import { staleWarnings, withoutRemains } from "./stale-injection.ts";
import { bundleSourceFor, podMemoryLimit } from "./start-memory.ts";
import { stopGrace } from "./stop-grace.ts";
import { podWarnings, reasonToIgnore, unfitness } from "./unfit-pod.ts";
import { volumeNames } from "./volume-names.ts";
import { type WrappedContainer, wrapContainer } from "./wrap-container.ts";

/** A pod that asks for injection, and all that has to be known of it. */
export interface InjectionRequest {
  readonly pod: Pod;
  readonly settings: InjectionSettings;
  /** The commands of the images of `imagesNeeded`. */
  readonly images: ReadonlyMap<string, ImageAnswer>;
}

/** The images with commands to look up: those of chosen containers without a command. */
export function imagesNeeded(pod: Pod, settings: InjectionSettings): readonly string[] {
  const read = readMarker(pod, settings.operator.prefix);
  const done = read.ok ? settledContainers(read.marker) : [];
  const images = chooseContainers(pod, settings, done).targets.flatMap(({ container }) =>
    needsImage(container) && container.image ? [container.image] : [],
  );
  return [...new Set(images)];
}

/**
 * Decides about a pod that asks for injection. Pure: the same pod, settings and images give the
 * same answer, and a pod that this patch was applied to is left alone, except for containers that
 * came later.
 */
export function inject(request: InjectionRequest): Injection {
  const { pod: before, settings: given } = request;
  const { operator } = given;
  const ignored = reasonToIgnore(before);
  if (ignored !== undefined) return { kind: "skip", reason: ignored, warnings: [] };
  const read = readMarker(before, operator.prefix);
  if (!read.ok) return refusal(before, [read.problem], operator);
  const { marker, stale } = read;
  const pod = withoutRemains(before, stale, operator.prefix);
  const chosen = chooseContainers(pod, given, settledContainers(marker));
  const problems = [...unfitness(pod), ...chosen.problems];
  if (chosen.targets.length === 0 && problems.length === 0)
    return nothingChosen(request, chosen, marker);
  const tooLarge = addedSizeProblems(chosen.targets, request.images, given);
  if (tooLarge.length > 0) return refusal(pod, tooLarge, operator);
  const bundle = bundleSourceFor(pod, { bundle: operator.bundle, marker });
  const tokenSource = tokenSourceFor(pod, operator, hasLauncher(chosen.targets, request.images));
  const settings = { ...given, operator: { ...operator, bundle, tokenSource } };
  const wrapped = wrapTargets({ ...request, pod, settings }, chosen.targets, marker);
  const found = [
    ...problems,
    ...redirectionProblems(pod, chosen.targets, settings),
    ...chosen.targets.flatMap(({ container }) => handOverProblems(container, pod, settings)),
    ...wrapped.wrapped.flatMap((one) => one.problems),
  ];
  if (found.length > 0) return refusal(pod, found, operator);
  const after = injectedPod(pod, { settings, marker, targets: chosen.targets, ...wrapped });
  return {
    kind: "patch",
    patch: patchBetween(before, after.pod),
    summary: summaryOf(chosen, wrapped, after.marker),
    warnings: [
      ...podWarnings(pod),
      ...staleWarnings(pod, stale),
      ...completionWarnings(chosen.targets, pod, settings),
      ...wrapped.wrapped.flatMap(({ warnings }) => warnings),
    ],
  };
}

/**
 * The agent gives a token to the first process of a container alone, which the wrapper is not
 * there.
 */
function tokenSourceFor(
  { spec }: Pod,
  { tokenSource }: OperatorSettings,
  isLaunched: boolean,
): OperatorSettings["tokenSource"] {
  const isFirst = spec.shareProcessNamespace !== true && spec.hostPID !== true && !isLaunched;
  return isFirst ? tokenSource : "file";
}

function hasLauncher(targets: readonly Target[], images: InjectionRequest["images"]): boolean {
  return targets.some(({ container }) => {
    const found = findProgram(container, images.get(container.image ?? ""));
    return found.ok && found.program.launcher !== undefined;
  });
}

function nothingChosen(
  { pod, settings: { operator } }: InjectionRequest,
  { left }: ChosenContainers,
  marker: Marker,
): Injection {
  if (marker.containers.length > 0)
    return { kind: "skip", reason: "it is injected already", warnings: [] };
  const reasons = [...left].map(([name, why]) => `${name}: ${why}`);
  const wanted = "one with a container to inject into";
  return refusal(pod, [problem({ variable: "pod", wanted, found: reasons.join("; ") })], operator);
}

interface WrappedTargets {
  /** In the order of the targets. */
  readonly wrapped: readonly WrappedContainer[];
  readonly endpoints: ReadonlyMap<string, HealthEndpoint>;
  readonly nameOf: ReturnType<typeof volumeNames>;
}

function wrapTargets(
  { pod, settings, images }: InjectionRequest,
  targets: readonly Target[],
  marker: Marker,
): WrappedTargets {
  const { values, texts } = settings;
  const endpoints = healthEndpoints({
    pod,
    targets,
    exposed: (name) => {
      const image = images.get(name);
      return image?.kind === "found" ? (image.config.ports ?? []) : [];
    },
    done: marker.containers,
    first: values.healthPort,
    isAsked: texts.has("healthPort"),
  });
  const nameOf = volumeNames(pod, marker);
  const { terminationGracePeriodSeconds, restartPolicy } = pod.spec;
  const grace = stopGrace(terminationGracePeriodSeconds);
  const podLimit = podMemoryLimit(pod);
  const runsOnce = (restartPolicy ?? "Always") !== "Always";
  const isInMesh = everyContainer(pod).some(({ container: { name } }) =>
    settings.operator.wellKnownSidecars.includes(name),
  );
  const wrapped = targets.map((target) => {
    const { container } = target;
    const endpoint = endpoints.get(container.name) ?? { kind: "loopback" };
    const image = images.get(container.image ?? "");
    const facts = { endpoint, stopGrace: grace, runsOnce, podLimit, isInMesh };
    const own = settingsOfHandOver(container, settingsFor(target, pod, settings));
    return wrapContainer(target, { settings: own, image, nameOf, ...facts });
  });
  return { wrapped, endpoints, nameOf };
}

function summaryOf(
  { targets, left }: ChosenContainers,
  { wrapped, endpoints }: WrappedTargets,
  { volumes }: Marker,
): InjectionSummary {
  const containers = targets.map(({ container: { name }, role }, index) => ({
    name,
    role,
    program: wrapped[index]?.source ?? "pod",
    health: endpoints.get(name) ?? ({ kind: "loopback" } as const),
    own: wrapped[index]?.own ?? [],
  }));
  return { containers, left: Object.fromEntries(left), volumes };
}
