import {
  flagOnly,
  parseFilePath,
  parseList,
  parseOneOf,
  parsePlainText,
  parseServerUrl,
} from "@svc/settings";
import { parseImageReference, parseObjectName } from "../annotations/parse-names.ts";
import { operatorDefaults } from "../inject/operator-settings.ts";
import { parseConfigName } from "./parse-config-name.ts";
import { parseCopyCommand } from "./parse-copy-command.ts";
import { parseDnsName } from "./parse-dns-name.ts";
import { parseNamespaces } from "./parse-namespaces.ts";
import { parseQuantities, quantitiesText } from "./parse-quantities.ts";
import { parseSidecars } from "./parse-sidecars.ts";
import { parseUser } from "./parse-user.ts";

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
    parse: parseOneOf(["auto", "image-volume", "copy", "csi"]),
    meaning:
      "`image-volume`: the image itself is mounted, and all pods of a node share it. `copy`: an init container copies it into an emptyDir. `csi`: the agent of the node gives each pod hard links to the node's copy, and its socket, in an inline volume; the agent has to be a CSI driver (CSI_KUBELET_FOLDER). `auto`: mounted where the API server is Kubernetes 1.36 or later, else copied; `svc inject` copies.",
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
      "User of the init container where no container says one, or `none` where the platform gives one, as OpenShift does.",
  }),
  copyRequests: flagOnly({
    name: "--wrapper-requests",
    group,
    type: "quantities",
    default: quantitiesText(resources.requests),
    parse: parseQuantities,
    meaning: "Requests of the init container: NAME=QUANTITY with commas between, or `none`.",
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
      "Addresses of vaults that pods may name; any address where it is unset. The wrapper shows the token of the pod's service account to the address.",
  }),
  tokenAudience: flagOnly({
    name: "--token-audience",
    group,
    type: "text",
    default: operatorDefaults.tokenAudience,
    parse: parsePlainText,
    meaning:
      "Audience of the service account's token that pods log in with, for the method `kubernetes`; `none` for the pod's own token. An annotation or a SvcConfig goes before it.",
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
      "Namespaces whose pods may go to a vault by plain http, or with `vault-skip-verify`; `*` for every one. Others are refused both.",
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
      "NAMESPACE/NAME of the SvcConfig for pods that no SvcConfig of their own namespace is for.",
  }),
};
