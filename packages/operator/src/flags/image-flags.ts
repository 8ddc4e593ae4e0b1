import { flagOnly, parseFilePath, parseGoBoolean, parseList, parseOneOf } from "@svc/settings";
import { isRegistry, isRepository } from "../image/image-reference.ts";
import { checked } from "./checked.ts";
import { parseMap } from "./parse-map.ts";

const group = "Image lookup";
const parseRegistry = checked(isRegistry, "a registry: HOST or HOST:PORT");

/** How the operator learns the commands of images, for containers that have no command. */
export const imageFlags = {
  defaultRegistry: flagOnly({
    name: "--default-registry",
    group,
    type: "registry",
    parse: parseRegistry,
    meaning:
      "The registry that images without one come from, as nodes have it. Unset, such images are not looked up.",
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
    meaning: "The server that is asked for its images, where it is another than its name.",
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
      "REGISTRY=MIRROR with commas between: who is asked before a registry, several in their order.",
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
      "Those of the cluster's nodes. An image that starts different programs on them is not decided by chance.",
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
