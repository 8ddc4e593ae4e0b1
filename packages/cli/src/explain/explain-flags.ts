import { parseKubeconfigPaths } from "@svc/bootstrap";
import { flagOnly, parseGoBoolean, parseOneOf, parsePlainText, variable } from "@svc/settings";

const group = "This command";

/** The flags of `svc explain`. */
export const explainFlags = {
  namespace: flagOnly({
    name: "--namespace",
    short: "n",
    group,
    type: "name",
    parse: parsePlainText,
    meaning: "Namespace of the object. Unset: that of the kubeconfig's context, else `default`.",
  }),
  output: flagOnly({
    name: "--output",
    short: "o",
    group,
    type: "format",
    default: "text",
    parse: parseOneOf(["text", "json"]),
    meaning: "`text` for people, `json` for programs.",
  }),
  kubeconfig: variable({
    name: "KUBECONFIG",
    flag: "kubeconfig",
    group,
    type: "files",
    parse: parseKubeconfigPaths,
    meaning: "Kubeconfig files with `:` between them; `~/.kube/config` unless set.",
  }),
  context: flagOnly({
    name: "--context",
    group,
    type: "name",
    parse: parsePlainText,
    meaning: "Context of the kubeconfig; by default the current one.",
  }),
  lookUpImages: flagOnly({
    name: "--look-up-images",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Asks registries for the commands of images, from this machine and without pull secrets. Without it these stay unknown.",
  }),
};
