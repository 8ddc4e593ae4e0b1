import {
  accepted,
  complain,
  flagOnly,
  type Parsed,
  parseFilePath,
  parseGoBoolean,
  parseList,
  parseOneOf,
  refused,
  type Values,
} from "@svc/settings";
import { parseContainerName } from "../annotations/parse-names.ts";
import { isRegistry, isRepository } from "../image/image-reference.ts";
import type { RegistrySettings } from "../image/registry-settings.ts";
import { type LoginSource, loginSources } from "../registry-logins/login-provider.ts";
import {
  type LoginRule,
  parseLoginPattern,
  starProblem,
} from "../registry-logins/providers/login-rules.ts";
import { type FlagReading, requireBeside } from "./flag-reading.ts";
import { checked, type MapEntry, parseMap } from "./parse-values.ts";

const group = "Image lookup";
const parseRegistry = checked(isRegistry, "a registry: HOST or HOST:PORT");

/** How the operator learns the commands of images, for containers that have no command. */
export const imageFlags = {
  defaultRegistry: flagOnly({
    name: "--default-registry",
    group,
    type: "registry",
    default: "docker.io",
    parse: parseRegistry,
    meaning:
      "The registry of images that name none, as the nodes have it. `docker.io` is Docker Hub, which needs no further setting. With `none` they are images of Docker Hub, and the operator asks only its mirrors.",
  }),
  defaultRegistryAliases: flagOnly({
    name: "--default-registry-aliases",
    group,
    type: "list",
    parse: parseList(parseRegistry),
    meaning: "Further names of it, in images and in pull secrets.",
  }),
  defaultRegistryServer: flagOnly({
    name: "--default-registry-server",
    group,
    type: "registry",
    parse: parseRegistry,
    meaning: "The server of its images, if it differs from the registry's name.",
  }),
  defaultRegistryNamespace: flagOnly({
    name: "--default-registry-namespace",
    group,
    type: "path",
    parse: checked(isRepository, "a part of an image's name, such as library"),
    meaning: "Prefix for names of one part, for example `library`.",
  }),
  mirrors: flagOnly({
    name: "--registry-mirrors",
    group,
    type: "map",
    parse: parseMap(parseRegistry, checked(isMirror, "a mirror: HOST[:PORT][/PREFIX]")),
    meaning:
      "REGISTRY=MIRROR with commas between: the mirrors that the operator asks before a registry, in their order.",
  }),
  insecure: flagOnly({
    name: "--insecure-registries",
    group,
    type: "map",
    parse: parseMap(parseRegistry, parseOneOf(["http", "skip-verify"])),
    meaning:
      "REGISTRY=http or REGISTRY=skip-verify with commas between: registries without TLS, or whose certificate is not checked.",
  }),
  authorities: flagOnly({
    name: "--registry-ca-files",
    group,
    type: "map",
    parse: parseMap(checked(isAuthorityHost, "a registry, or * for all others"), parseFilePath),
    meaning:
      "REGISTRY=FILE with commas between: PEM files with the only CA certificates that a registry is trusted by; `*=FILE` for all others.",
  }),
  trustedHosts: flagOnly({
    name: "--registry-trusted-hosts",
    group,
    type: "list",
    parse: parseList(parseRegistry),
    meaning: "Token servers and storage that may be asked although they are at private addresses.",
  }),
  architectures: flagOnly({
    name: "--architectures",
    group,
    type: "list",
    default: "amd64,arm64",
    parse: parseList(checked((text) => /^[a-z0-9]{2,20}$/.test(text), "an architecture, as amd64")),
    meaning:
      "The architectures of the cluster's nodes. An image that starts different programs on them is ambiguous: the pod has to set a command.",
  }),
  readPullSecrets: flagOnly({
    name: "--read-pull-secrets",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Reads the pull secrets that pods and their service accounts name. The operator's account needs the right to; without it, images are asked for without credentials.",
  }),
};

function isMirror(text: string): boolean {
  const [, host = "", prefix] = /^([^/]+)(?:\/(.*?)\/*)?$/.exec(text) ?? [];
  return isRegistry(host) && (prefix === undefined || prefix === "" || isRepository(prefix));
}

function isAuthorityHost(text: string): boolean {
  return text === "*" || isRegistry(text);
}

/** How images are looked up. */
export interface ImageLookupSettings {
  /** Without the authorities, which are in files. */
  readonly registries: Omit<RegistrySettings, "authorities">;
  /** Files of PEM certificates by registry. */
  readonly authorityFiles: Readonly<Record<string, readonly string[]>>;
  readonly architectures: readonly string[];
  readonly readPullSecrets: boolean;
}

const imageLoginGroup = "Logins at registries";

/** How the operator itself logs in to registries, and for whose pods. */
export const imageLoginFlags = {
  registryLogins: flagOnly({
    name: "--registry-logins",
    group: imageLoginGroup,
    type: "map",
    parse: parseMap(parsePattern, parseOneOf(loginSources)),
    meaning:
      "PATTERN=SOURCE with commas between: registries at which the operator logs in itself if the pod's pull secrets do not suffice. PATTERN is `HOST[:PORT][/PATH]`, with stars for labels of the host. SOURCE is `aws`, `google` or `azure`, by the operator's identity there, or `docker-config`.",
  }),
  registryLoginNamespaces: flagOnly({
    name: "--registry-login-namespaces",
    group: imageLoginGroup,
    type: "map",
    parse: parseMap(parsePatternOrAll, parseNamespaceOrAll),
    meaning:
      "PATTERN=NAMESPACE with commas between: the namespaces whose pods each login is for. `*` stands for every pattern, or every namespace. A pod's author learns the command of each image that this login may read.",
  }),
  dockerConfig: flagOnly({
    name: "--docker-config",
    group: imageLoginGroup,
    type: "file",
    parse: parseFilePath,
    meaning:
      "Docker's configuration for the source `docker-config`: `auths`, `credHelpers`, `credsStore`. It is read again when a pod needs it.",
  }),
  credentialHelpers: flagOnly({
    name: "--credential-helpers",
    group: imageLoginGroup,
    type: "path",
    parse: parseFilePath,
    meaning:
      "Folder with the programs docker-credential-NAME that the configuration may name. Unset, none is run.",
  }),
};

function parsePattern(text: string): Parsed<string> {
  return parseLoginPattern(text) === undefined
    ? refused("a registry: HOST[:PORT][/PATH], in which labels of HOST may have stars")
    : accepted(text);
}

function parsePatternOrAll(text: string): Parsed<string> {
  return text === "*" ? accepted(text) : parsePattern(text);
}

/** Namespaces have the form that containers' names have (RFC 1123 label). */
function parseNamespaceOrAll(text: string): Parsed<string> {
  return text === "*" || parseContainerName(text).ok
    ? accepted(text)
    : refused("the name of a namespace, or * for all");
}

/** How the operator itself logs in to registries. Plain data without a secret. */
export interface RegistryLoginSettings {
  readonly rules: readonly LoginRule[];
  readonly dockerConfig: string | undefined;
  readonly helperFolder: string | undefined;
}

type LoginFlags = typeof imageLoginFlags;
type LoginReading = Omit<FlagReading<LoginFlags>, "values"> & {
  readonly values: Values<LoginFlags>;
};

const LOGINS = imageLoginFlags.registryLogins.name;
const NAMESPACES = imageLoginFlags.registryLoginNamespaces.name;

/**
 * Reads the rules of logins, and complains of those that have no namespace and of stars that are
 * for registries of strangers.
 */
export function readImageLogins(reading: LoginReading): RegistryLoginSettings {
  const { registryLogins = [], registryLoginNamespaces = [] } = reading.values;
  const { dockerConfig, credentialHelpers: helperFolder } = reading.values;
  requireBeside(reading, imageLoginFlags, ["registryLoginNamespaces", "registryLogins"]);
  requireBeside(reading, imageLoginFlags, ["credentialHelpers", "dockerConfig"]);
  requireBeside(reading, imageLoginFlags, ["dockerConfig", "registryLogins"]);
  complainOfStrays(reading, registryLogins, registryLoginNamespaces);
  const usesFile = registryLogins.some(([, source]) => source === "docker-config");
  if (usesFile && dockerConfig === undefined && !reading.failed.has("dockerConfig")) {
    const wanted = `set if ${LOGINS} has docker-config`;
    complain(reading, { variable: "--docker-config", wanted, found: "it is not set" });
  }
  const rules = registryLogins.flatMap((entry) => ruleOf(entry, registryLoginNamespaces, reading));
  return { rules, dockerConfig, helperFolder };
}

function ruleOf(
  [text, source]: MapEntry<LoginSource>,
  allNamespaces: readonly MapEntry<string>[],
  reading: LoginReading,
): readonly LoginRule[] {
  const pattern = parseLoginPattern(text);
  if (pattern === undefined) return [];
  const wanted = starProblem(pattern, source);
  if (wanted !== undefined) {
    complain(reading, { variable: LOGINS, wanted, found: `got "${text}=${source}"` });
  }
  const namespaces = allNamespaces.flatMap(([key, namespace]) =>
    key === "*" || key === text ? [namespace] : [],
  );
  if (namespaces.length === 0 && !reading.failed.has("registryLoginNamespaces")) {
    const found = `no namespace may have it: write ${text}=NAMESPACE, or ${text}=* for all`;
    complain(reading, { variable: NAMESPACES, wanted: `set for ${text}`, found });
  }
  return [{ pattern, source, namespaces }];
}

/** A namespace of a pattern that no login has would be a right without effect. */
function complainOfStrays(
  reading: LoginReading,
  logins: readonly MapEntry<LoginSource>[],
  namespaces: readonly MapEntry<string>[],
): void {
  if (reading.failed.has("registryLogins") || logins.length === 0) return;
  const known = new Set(["*", ...logins.map(([text]) => text)]);
  for (const stray of new Set(namespaces.map(([key]) => key).filter((key) => !known.has(key)))) {
    const wanted = `a pattern of ${LOGINS}, or *`;
    complain(reading, { variable: NAMESPACES, wanted, found: `got "${stray}"` });
  }
}
