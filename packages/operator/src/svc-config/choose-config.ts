import { matchesLabels } from "./matches-labels.ts";
import type { SvcConfig } from "./svc-config.ts";

/** The pod, and the SvcConfigs to choose from. */
export interface ConfigChoice {
  /** The name in the pod's annotation `config`; undefined if it has none. */
  readonly named: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** All SvcConfigs of the pod's namespace. */
  readonly inNamespace: readonly SvcConfig[];
  /** The operator's own, for pods of all namespaces; undefined if it has none. */
  readonly clusterDefault: SvcConfig | undefined;
}

/** The SvcConfig of a pod, or why none can be said. */
export type ChosenConfig =
  | { readonly kind: "config"; readonly config: SvcConfig }
  | { readonly kind: "none" }
  /** There is none of the name. */
  | { readonly kind: "missing" }
  /** Selectors of several match; their names, sorted. */
  | { readonly kind: "several"; readonly names: readonly string[] };

/** The name of a namespace's own default. */
export const DEFAULT_CONFIG = "default";

/**
 * Chooses the SvcConfig of a pod: the one that it names, else the one of its namespace whose
 * selector matches, else its namespace's `default`, else the cluster's. Two selectors that match
 * are refused: an order between them would not be the user's choice.
 */
export function chooseConfig(choice: ConfigChoice): ChosenConfig {
  const { named, labels, inNamespace, clusterDefault } = choice;
  if (named !== undefined) return found(nameIs(inNamespace, named), "missing");
  const selecting = inNamespace.filter(
    ({ spec }) => spec.selector !== undefined && matchesLabels(spec.selector, labels),
  );
  if (selecting.length > 1) {
    return { kind: "several", names: selecting.map(({ name }) => name).toSorted() };
  }
  const byDefault = nameIs(inNamespace, DEFAULT_CONFIG);
  // A default with a selector that does not match does not apply to this pod.
  const own = byDefault?.spec.selector === undefined ? byDefault : undefined;
  return found(selecting[0] ?? own ?? clusterDefault, "none");
}

function nameIs(configs: readonly SvcConfig[], wanted: string): SvcConfig | undefined {
  return configs.find(({ name }) => name === wanted);
}

function found(config: SvcConfig | undefined, otherwise: "missing" | "none"): ChosenConfig {
  return config === undefined ? { kind: otherwise } : { kind: "config", config };
}
