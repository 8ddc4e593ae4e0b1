import type { Values } from "@svc/settings";
import type { BundleSource, OperatorSettings } from "../inject/operator-settings.ts";
import { complain, type FlagReading, requireBeside } from "./flag-reading.ts";
import { imageFlags } from "./image-flags.ts";
import type { ImageLookupSettings } from "./image-lookup-settings.ts";
import { injectionFlags } from "./injection-flags.ts";
import type { ConfigName } from "./parse-config-name.ts";
import type { MapEntry } from "./parse-map.ts";

const judgingFlags = { ...injectionFlags, ...imageFlags };
type JudgingFlags = typeof judgingFlags;

/** The flags about pods: those of `svc-operator` and of `svc inject`. */
export type JudgingReading = Omit<FlagReading<JudgingFlags>, "values"> & {
  readonly values: Values<JudgingFlags>;
};

/** The inputs for judging pods. */
export interface Judging {
  readonly operator: OperatorSettings;
  /** The SvcConfig for pods that none of their own namespace is for. */
  readonly defaultConfig: ConfigName | undefined;
  readonly images: ImageLookupSettings;
}

/** Reads the inputs for judging pods, and reports flags that contradict each other. */
export function readJudging(reading: JudgingReading): Judging {
  const { defaultConfig } = reading.values;
  return { operator: operatorOf(reading), defaultConfig, images: readImages(reading) };
}

function operatorOf(reading: JudgingReading): OperatorSettings {
  const { values } = reading;
  refuseAgentTokens(reading);
  const { wrapperImage: image = "", copyCommand: command, copyUser: user } = values;
  const { bundleSource: kind, copyRequests: requests, copyLimits: limits } = values;
  return {
    prefix: values.prefix,
    bundle: bundleOf(kind, { image, command, user }),
    resources: { requests, limits },
    imagePullSecrets: values.imagePullSecrets ?? [],
    wellKnownSidecars: values.sidecars,
    allowedAddresses: values.allowedAddresses ?? [],
    tokenAudience: values.tokenAudience,
    tokenSource: values.tokenSource,
    insecureVaultNamespaces: values.insecureVaults ?? [],
    agentFolder: values.agentFolder,
    whenImpossible: values.whenImpossible,
  };
}

/** The agent gives tokens in the volumes of its driver, and for one audience. */
function refuseAgentTokens({ values, problems }: JudgingReading): void {
  if (values.tokenSource !== "agent") return;
  const variable = injectionFlags.tokenSource.name;
  if (values.bundleSource !== "csi") {
    const found = `it is ${values.bundleSource}`;
    complain({ problems }, { variable, wanted: "set together with --bundle-source=csi", found });
  }
  if (values.tokenAudience === "none") {
    const wanted = "set together with an audience (--token-audience)";
    complain({ problems }, { variable, wanted, found: "it is none" });
  }
}

type Copied = Omit<
  Extract<BundleSource, { readonly kind: "copy" }>,
  "kind" | "mountsWherePossible"
>;

function bundleOf(kind: "copy" | "image-volume" | "auto" | "csi", copied: Copied): BundleSource {
  switch (kind) {
    case "copy":
      return { kind, ...copied };
    case "auto":
      return { kind: "copy", ...copied, mountsWherePossible: true };
    case "image-volume":
      return { kind, image: copied.image };
    case "csi":
      return { kind };
  }
}

function readImages(reading: JudgingReading): ImageLookupSettings {
  const { values } = reading;
  const { defaultRegistry: name } = values;
  for (const beside of [
    "defaultRegistryAliases",
    "defaultRegistryServer",
    "defaultRegistryNamespace",
  ] as const) {
    requireBeside(reading, judgingFlags, [beside, "defaultRegistry"]);
  }
  const defaultRegistry = name && {
    name,
    aliases: values.defaultRegistryAliases ?? [],
    server: values.defaultRegistryServer ?? name,
    namespace: values.defaultRegistryNamespace,
  };
  const registries = {
    defaultRegistry: defaultRegistry || undefined,
    mirrors: grouped(values.mirrors ?? []),
    insecureRegistries: Object.fromEntries(values.insecure ?? []),
    trustedHosts: values.trustedHosts ?? [],
  };
  const { architectures, readPullSecrets } = values;
  const authorityFiles = grouped(values.authorities ?? []);
  return { registries, authorityFiles, architectures, readPullSecrets };
}

function grouped<T>(entries: readonly MapEntry<T>[]): Readonly<Record<string, readonly T[]>> {
  const groups = Object.groupBy(entries, ([key]) => key);
  return Object.fromEntries(
    Object.entries(groups).map(([key, members = []]) => [key, members.map(([, value]) => value)]),
  );
}
