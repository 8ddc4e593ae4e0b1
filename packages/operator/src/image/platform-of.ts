import type { NodeSelectorTerm, PodSpec, TextMap } from "../pod/pod.ts";
import type { PlatformConstraint } from "./platform.ts";

const OS_LABELS = ["kubernetes.io/os", "beta.kubernetes.io/os"];
const ARCHITECTURE_LABELS = ["kubernetes.io/arch", "beta.kubernetes.io/arch"];

/**
 * The platforms of the nodes that the pod may be put on, by its nodeSelector and its required node
 * affinity.
 *
 * @param architectures those that the cluster has, or that the wrapper is built for
 */
export function platformOf(spec: PodSpec, architectures: readonly string[]): PlatformConstraint {
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms ?? [];
  const bySelector = architectures.filter((each) =>
    selectorAllows(spec.nodeSelector, ARCHITECTURE_LABELS, each),
  );
  const possible =
    terms.length === 0
      ? bySelector
      : bySelector.filter((each) =>
          terms.some((term) => termAllows(term, ARCHITECTURE_LABELS, each)),
        );
  return { os: systemOf(spec, terms), architectures: possible };
}

/** Linux, unless something asks for Windows, on which the wrapper does not run. */
function systemOf({ os, nodeSelector }: PodSpec, terms: readonly NodeSelectorTerm[]): string {
  const named =
    os?.name ?? OS_LABELS.map((label) => nodeSelector?.[label]).find((name) => name !== undefined);
  if (named !== undefined && named !== null) return named;
  const linux = terms.length === 0 || terms.some((term) => termAllows(term, OS_LABELS, "linux"));
  return linux ? "linux" : "windows";
}

function selectorAllows(
  selector: TextMap | null | undefined,
  labels: readonly string[],
  value: string,
): boolean {
  return labels.every((label) => (selector?.[label] ?? value) === value);
}

/** A term without expressions for the label says nothing about it. */
function termAllows(
  { matchExpressions }: NodeSelectorTerm,
  labels: readonly string[],
  value: string,
): boolean {
  return (matchExpressions ?? [])
    .filter(({ key }) => labels.includes(key))
    .every(({ operator, values }) => {
      switch (operator) {
        case "In":
          return values?.includes(value) === true;
        case "NotIn":
          return values?.includes(value) !== true;
        case "DoesNotExist":
          return false;
        default:
          // Exists, Gt and Lt say nothing that narrows it.
          return true;
      }
    });
}
