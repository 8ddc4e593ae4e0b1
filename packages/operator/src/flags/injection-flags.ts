import {
  complain,
  flagOnly,
  parseFilePath,
  parseList,
  parseOneOf,
  parsePlainText,
  parseServerUrl,
  type Values,
} from "@svc/settings";
import { parseImageReference, parseObjectName } from "../annotations/parse-names.ts";
import { type DefaultRegistry, dockerHub, knownRegistry } from "../image/default-registry.ts";
import {
  type BundleKind,
  type BundleSource,
  bundleFacts,
  bundleKinds,
  type CopySettings,
} from "../inject/bundle-source.ts";
import { type OperatorSettings, operatorDefaults } from "../inject/operator-settings.ts";
import type { FlagReading } from "./flag-reading.ts";
import { type ImageLookupSettings, imageFlags } from "./image-flags.ts";
import {
  type ConfigName,
  type MapEntry,
  parseConfigName,
  parseCopyCommand,
  parseDnsName,
  parseNamespaces,
  parseQuantities,
  parseSidecars,
  parseUser,
  quantitiesText,
} from "./parse-values.ts";

const group = "Injection";
const { resources } = operatorDefaults;

/** Settings for the injection. */
export const injectionFlags = {
  prefix: flagOnly({
    name: "--annotation-prefix",
    group,
    type: "prefix",
    default: operatorDefaults.prefix,
    parse: parseDnsName,
    meaning: "Prefix of annotations and of the label, before the slash.",
  }),
  wrapperImage: flagOnly({
    name: "--wrapper-image",
    group,
    type: "image",
    requiredness: "yes",
    parse: parseImageReference,
    meaning: "Image with /opt/svc, from which pods get the wrapper. A SvcConfig may name another.",
  }),
  bundleSource: flagOnly({
    name: "--bundle-source",
    group,
    type: "source",
    default: "auto",
    parse: parseOneOf(["auto", ...bundleKinds]),
    meaning:
      "`image-volume`: the image itself is mounted, and all pods of a node share it. `copy`: an init container copies it into an emptyDir. `csi`: the agent of the node gives each pod hard links to the node's copy, and its socket, in an inline volume; the agent has to be a CSI driver (CSI_KUBELET_FOLDER). `auto`: mounted if the API server is Kubernetes 1.36 or later, else copied; `svc inject` copies.",
  }),
  copyCommand: flagOnly({
    name: "--copy-command",
    group,
    type: "words",
    default: JSON.stringify(operatorDefaults.copyCommand),
    parse: parseCopyCommand,
    meaning: "Command of the init container, as a JSON array of words.",
  }),
  copyUser: flagOnly({
    name: "--copy-user",
    group,
    type: "user",
    default: String(operatorDefaults.user),
    parse: parseUser,
    meaning:
      "User of the init container if no container says one, or `none` if the platform gives one, as OpenShift does.",
  }),
  copyRequests: flagOnly({
    name: "--wrapper-requests",
    group,
    type: "quantities",
    default: quantitiesText(resources.requests),
    parse: parseQuantities,
    meaning:
      "Requests of the init container in Burstable pods, for resources that the application does not name: NAME=QUANTITY with commas between, or `none`.",
  }),
  copyLimits: flagOnly({
    name: "--wrapper-limits",
    group,
    type: "quantities",
    default: quantitiesText(resources.limits),
    parse: parseQuantities,
    meaning: "Its limits, likewise.",
  }),
  imagePullSecrets: flagOnly({
    name: "--wrapper-pull-secrets",
    group,
    type: "list",
    parse: parseList(parseObjectName),
    meaning:
      "Names of pull secrets that are added to pods for the wrapper's image. They have to be in the pods' namespaces.",
  }),
  sidecars: flagOnly({
    name: "--well-known-sidecars",
    group,
    type: "list",
    default: operatorDefaults.wellKnownSidecars.join(","),
    parse: parseSidecars,
    meaning:
      "Containers that are left alone unless a pod's annotation names them: names, or `none` for no such list.",
  }),
  allowedAddresses: flagOnly({
    name: "--allowed-addresses",
    group,
    type: "list",
    parse: parseList(parseServerUrl),
    meaning:
      "Addresses of vaults that pods may name; any address if it is unset. The wrapper shows the token of the pod's service account to the address.",
  }),
  tokenAudience: flagOnly({
    name: "--token-audience",
    group,
    type: "text",
    default: operatorDefaults.tokenAudience,
    parse: parsePlainText,
    meaning:
      "Audience of the service account's token that pods log in with, for the methods `kubernetes` and `jwt`; `none` for the pod's own token. An annotation or a SvcConfig takes precedence.",
  }),
  tokenSource: flagOnly({
    name: "--token-source",
    group,
    type: "source",
    default: operatorDefaults.tokenSource,
    parse: parseOneOf(["file", "agent"]),
    meaning:
      "`file`: the pod gets the token in a file, which `kubectl exec` can read. `agent`: the agent of the node gives it to the pod's wrappers alone; needs `--bundle-source=csi`, and an agent with CSI_TOKEN_AUDIENCE for the audience of `--token-audience`. Pods that ask for another audience, and pods whose containers share a pid namespace, get the file.",
  }),
  insecureVaults: flagOnly({
    name: "--insecure-vault-namespaces",
    group,
    type: "list",
    parse: parseNamespaces,
    meaning:
      "Namespaces whose pods may go to a vault by plain http, or with `vault-skip-verify`; `*` for every one. The operator refuses both to other namespaces.",
  }),
  agentFolder: flagOnly({
    name: "--agent-folder",
    group,
    type: "path",
    default: operatorDefaults.agentFolder,
    parse: parseFilePath,
    meaning: "Folder of the node with the agent's socket.",
  }),
  whenImpossible: flagOnly({
    name: "--when-impossible",
    group,
    type: "decision",
    default: operatorDefaults.whenImpossible,
    parse: parseOneOf(["deny", "admit"]),
    meaning:
      "Outcome for a pod that asks for injection and cannot get it: rejected with the reason, or admitted unchanged, with a warning.",
  }),
  defaultConfig: flagOnly({
    name: "--default-config",
    group,
    type: "config",
    parse: parseConfigName,
    meaning:
      "NAMESPACE/NAME of the SvcConfig for pods to which no SvcConfig of their namespace applies.",
  }),
};

const judgingFlags = { ...injectionFlags, ...imageFlags };
type JudgingFlags = typeof judgingFlags;

/** The flags about pods: those of `svc-operator` and of `svc inject`. */
export type JudgingReading = Omit<FlagReading<JudgingFlags>, "values"> & {
  readonly values: Values<JudgingFlags>;
};

/** The inputs for judging pods. */
export interface Judging {
  readonly operator: OperatorSettings;
  /** The SvcConfig for pods that none of their namespace is for. */
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
  const { wrapperImage: image = "", copyCommand: command, copyUser: user } = values;
  const { copyRequests: requests, copyLimits: limits } = values;
  const bundle = bundleOf(values.bundleSource, { image, command, user });
  refuseAgentTokens(reading, bundle);
  return {
    prefix: values.prefix,
    bundle,
    resources: { requests, limits },
    imagePullSecrets: values.imagePullSecrets ?? [],
    wellKnownSidecars: values.sidecars,
    allowedAddresses: values.allowedAddresses ?? [],
    tokenAudience: values.tokenAudience,
    tokenSource: values.tokenSource,
    insecureVaultNamespaces: values.insecureVaults ?? [],
    agentFolder: values.agentFolder,
    ...{ permits: operatorDefaults.permits, hints: operatorDefaults.hints },
    whenImpossible: values.whenImpossible,
  };
}

/** The agent gives tokens in the volumes of its driver, and for one audience. */
function refuseAgentTokens({ values, problems }: JudgingReading, bundle: BundleSource): void {
  if (values.tokenSource !== "agent") return;
  const variable = injectionFlags.tokenSource.name;
  if (!bundleFacts(bundle).bringsAgent) {
    const found = `it is ${values.bundleSource}`;
    complain({ problems }, { variable, wanted: "set together with --bundle-source=csi", found });
  }
  if (values.tokenAudience === "none") {
    const wanted = "set together with an audience (--token-audience)";
    complain({ problems }, { variable, wanted, found: "it is not one" });
  }
}

function bundleOf(kind: "auto" | BundleKind, copied: CopySettings): BundleSource {
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
  const defaultRegistry = readDefaultRegistry(reading);
  // Mirrors are those of a registry's name, and TLS is its server's; people write either.
  const byName = <T>([key, value]: MapEntry<T>): MapEntry<T> => {
    return [knownRegistry(key, defaultRegistry)?.name ?? key, value];
  };
  const byServer = <T>([key, value]: MapEntry<T>): MapEntry<T> => {
    return [knownRegistry(key, defaultRegistry)?.server ?? key, value];
  };
  const registries = {
    defaultRegistry,
    mirrors: grouped((values.mirrors ?? []).map(byName)),
    insecureRegistries: Object.fromEntries((values.insecure ?? []).map(byServer)),
    trustedHosts: values.trustedHosts ?? [],
  };
  const { architectures, readPullSecrets } = values;
  const authorityFiles = grouped((values.authorities ?? []).map(byServer));
  return { registries, authorityFiles, architectures, readPullSecrets };
}

/** Docker Hub's facts are known: its name suffices. */
function readDefaultRegistry(reading: JudgingReading): DefaultRegistry {
  const { values, given, problems } = reading;
  const { defaultRegistry: name } = values;
  for (const beside of [
    "defaultRegistryAliases",
    "defaultRegistryServer",
    "defaultRegistryNamespace",
  ] as const) {
    if (name !== "none" || !given.has(beside)) continue;
    const { name: variable } = judgingFlags[beside];
    const wanted = "left out beside --default-registry=none";
    complain({ problems }, { variable, wanted, found: "it is set" });
  }
  if (name === "none") return { ...dockerHub, server: undefined };
  const known = knownRegistry(name);
  return {
    name: known?.name ?? name,
    aliases: values.defaultRegistryAliases ?? known?.aliases ?? [],
    server: values.defaultRegistryServer ?? known?.server ?? name,
    namespace: values.defaultRegistryNamespace ?? known?.namespace,
  };
}

function grouped<T>(entries: readonly MapEntry<T>[]): Readonly<Record<string, readonly T[]>> {
  const groups = Object.groupBy(entries, ([key]) => key);
  return Object.fromEntries(
    Object.entries(groups).map(([key, members = []]) => [key, members.map(([, value]) => value)]),
  );
}
