import { annotationTable } from "../annotations/annotation-table.ts";
import type { Container, Pod, TextMap, Volume } from "../pod/pod.ts";
import type { Attachment, VolumePart } from "./attachment.ts";
import { bundleContainer } from "./bundle-container.ts";
import { bundleFacts } from "./bundle-source.ts";
import { everyContainer, type Target } from "./choose-containers.ts";
import { freeName } from "./free-name.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { evictableVolumes } from "./local-volumes.ts";
import { injectedLabel, type Marker, markerText } from "./marker.ts";
import type { WrappedContainer } from "./wrap-container.ts";

/** The parts of an injected pod. */
export interface InjectedParts {
  readonly settings: InjectionSettings;
  /** From an earlier injection. */
  readonly marker: Marker;
  readonly targets: readonly Target[];
  /** In the order of the targets. */
  readonly wrapped: readonly WrappedContainer[];
  readonly nameOf: (part: VolumePart) => string;
}

/**
 * The pod with its wrapped containers, their volumes, the init container and the marker; and that
 * marker.
 */
export function injectedPod(
  pod: Pod,
  parts: InjectedParts,
): { readonly pod: Pod; readonly marker: Marker } {
  const { settings } = parts;
  const { spec, metadata } = pod;
  const volumes = newVolumes(parts);
  const bundle = newBundleContainer(pod, parts);
  const next = nextMarker(parts, volumes, bundle?.name);
  const initContainers = bundleFirst(
    [...(bundle ? [bundle] : []), ...replaced(spec.initContainers ?? [], "initContainers", parts)],
    parts,
  );
  const annotations = {
    ...metadata.annotations,
    ...certificates(settings, volumes),
    ...evictableVolumes(
      pod,
      volumes.map(({ volume }) => volume),
    ),
    [`${settings.operator.prefix}/injected`]: markerText(next),
  };
  const [label, value] = injectedLabel(settings.operator.prefix);
  const labels = { ...metadata.labels, [label]: value };
  const after: Pod = {
    ...pod,
    metadata: { ...metadata, labels, annotations },
    spec: {
      ...spec,
      containers: replaced(spec.containers, "containers", parts),
      ...(initContainers.length > 0 && { initContainers }),
      volumes: [...(spec.volumes ?? []), ...volumes.map(({ volume }) => volume)],
      ...pullSecrets(pod, settings),
    },
  };
  return { pod: after, marker: next };
}

function nextMarker(
  { marker, targets, settings }: InjectedParts,
  volumes: readonly NewVolume[],
  newBundle: string | undefined,
): Marker {
  const added = volumes.map(({ part, volume }) => [part, volume.name] as const);
  const bundleContainer = newBundle ?? marker.bundleContainer;
  const config = settings.configPlace ?? marker.config;
  return {
    containers: [...marker.containers, ...targets.map(({ container }) => container.name)],
    ...(bundleContainer !== undefined && { bundleContainer }),
    ...(config !== undefined && { config }),
    volumes: { ...marker.volumes, ...Object.fromEntries(added) },
  };
}

interface NewVolume {
  readonly part: VolumePart;
  readonly volume: Volume;
}

function newVolumes({ wrapped, nameOf, marker }: InjectedParts): readonly NewVolume[] {
  const byPart = new Map<VolumePart, Attachment>();
  for (const attachment of wrapped.flatMap(({ attachments }) => attachments)) {
    if (marker.volumes[attachment.part] === undefined) byPart.set(attachment.part, attachment);
  }
  return [...byPart.values()].map(({ part, source }) => ({
    part,
    volume: { name: nameOf(part), ...source },
  }));
}

function replaced(
  containers: readonly Container[],
  list: Target["list"],
  { targets, wrapped }: InjectedParts,
): readonly Container[] {
  const byIndex = new Map(
    targets.flatMap((target, at) =>
      target.list === list ? [[target.index, wrapped[at]?.container]] : [],
    ),
  );
  return containers.map((container, index) => byIndex.get(index) ?? container);
}

/** First of all, for every init container may be one that gets the wrapper. */
function newBundleContainer(pod: Pod, parts: InjectedParts): Container | undefined {
  const { settings, marker, targets, nameOf } = parts;
  const { copy } = bundleFacts(settings.operator.bundle);
  const [target] = targets;
  if (copy === undefined || marker.volumes.bundle !== undefined) return undefined;
  if (target === undefined) return undefined;
  const taken = everyContainer(pod).map(({ container }) => container.name);
  const name = freeName("svc-bundle", taken);
  return bundleContainer({ name, volume: nameOf("bundle"), pod, target, settings, bundle: copy });
}

/**
 * Another webhook may have put an init container before the one that brings the wrapper, which it
 * needs as well.
 */
function bundleFirst(
  containers: readonly Container[],
  { marker, targets }: InjectedParts,
): readonly Container[] {
  const at = containers.findIndex(({ name }) => name === marker.bundleContainer);
  const bundle = containers[at];
  const isNeededEarlier = targets.some(
    ({ list, index }) => list === "initContainers" && index < at,
  );
  if (bundle === undefined || !isNeededEarlier) return containers;
  return [bundle, ...containers.toSpliced(at, 1)];
}

/** The certificates of a SvcConfig, for the volume that shows them as a file. */
function certificates(
  { operator, texts, values }: InjectionSettings,
  volumes: readonly NewVolume[],
): TextMap {
  const isShown =
    volumes.some(({ part }) => part === "vault-ca") && values.vaultCaSecret === undefined;
  const pem = texts.get("vaultCaBundle");
  if (!isShown || pem === undefined) return {};
  return { [`${operator.prefix}/${annotationTable.vaultCaBundle.name}`]: pem.text };
}

function pullSecrets({ spec }: Pod, { operator }: InjectionSettings): Partial<Pod["spec"]> {
  const present = (spec.imagePullSecrets ?? []).map(({ name }) => name);
  const missing = operator.imagePullSecrets.filter((name) => !present.includes(name));
  if (missing.length === 0) return {};
  const added = missing.map((name) => ({ name }));
  return { imagePullSecrets: [...(spec.imagePullSecrets ?? []), ...added] };
}
