import { parseKubeconfigPaths } from "@svc/bootstrap";
import { flagOnly, parseOneOf, parsePlainText, variable } from "@svc/settings";

/** The group of a command's own flags. */
export const group = "This command";

/** The flags of commands that look at one object of a cluster. */
export const clusterFlags = {
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
};

/** The place of the object, and the format of the command's answer. */
export interface ClusterSettings {
  /** Undefined for that of the kubeconfig's context. */
  readonly namespace: string | undefined;
  readonly output: "text" | "json";
  readonly cluster: { readonly kubeconfig?: readonly string[]; readonly context?: string };
}

/** The settings from the values of the flags. */
export function clusterSettings(values: {
  readonly namespace?: string | undefined;
  readonly output?: "text" | "json" | undefined;
  readonly kubeconfig?: readonly string[] | undefined;
  readonly context?: string | undefined;
}): ClusterSettings {
  const { namespace, output = "text", kubeconfig, context } = values;
  return {
    ...{ namespace, output },
    cluster: { ...(kubeconfig && { kubeconfig }), ...(context !== undefined && { context }) },
  };
}
