import { accepted, flagOnly, type Parsed, parseFilePath, parseOneOf, refused } from "@svc/settings";
import { parseContainerName } from "../annotations/parse-names.ts";
import { loginSources } from "../registry-logins/login-provider.ts";
import { parseLoginPattern } from "../registry-logins/providers/login-rules.ts";
import { parseMap } from "./parse-map.ts";

const group = "Logins at registries";

/** How the operator itself logs in to registries, and for whose pods. */
export const imageLoginFlags = {
  registryLogins: flagOnly({
    name: "--registry-logins",
    group,
    type: "map",
    parse: parseMap(parsePattern, parseOneOf(loginSources)),
    meaning:
      "PATTERN=SOURCE with commas between: registries at which the operator logs in itself where the pod's pull secrets do not do. PATTERN is `HOST[:PORT][/PATH]`, with stars for labels of the host. SOURCE is `aws`, `google` or `azure`, by the operator's identity there, or `docker-config`.",
  }),
  registryLoginNamespaces: flagOnly({
    name: "--registry-login-namespaces",
    group,
    type: "map",
    parse: parseMap(parsePatternOrAll, parseNamespaceOrAll),
    meaning:
      "PATTERN=NAMESPACE with commas between: the namespaces whose pods each login is for. `*` stands for every pattern, or every namespace. A pod's author learns the command of each image that this login may read.",
  }),
  dockerConfig: flagOnly({
    name: "--docker-config",
    group,
    type: "file",
    parse: parseFilePath,
    meaning:
      "Docker's configuration for the source `docker-config`: `auths`, `credHelpers`, `credsStore`. It is read again when a pod needs it.",
  }),
  credentialHelpers: flagOnly({
    name: "--credential-helpers",
    group,
    type: "path",
    parse: parseFilePath,
    meaning:
      "Folder with the programs docker-credential-NAME that the configuration may name. Unset, none is run.",
  }),
};

function parsePattern(text: string): Parsed<string> {
  return parseLoginPattern(text) === undefined
    ? refused("a registry: HOST[:PORT][/PATH], where labels of HOST may have stars")
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
