import type { Container } from "@svc/operator";

/** The words and environment of a container at its start. */
export interface StartedContainer {
  readonly words: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
}

/** The node's data besides the pod. */
export interface NodeKnowledge {
  /** What `envFrom` brings. */
  readonly variables: Readonly<Record<string, string>>;
  /** What `valueFrom` brings; `<NAME>` if it is not here. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  readonly image: { readonly entrypoint: readonly string[]; readonly command: readonly string[] };
}

/**
 * The words and environment that the kubelet makes of a container, by its own rules
 * (pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables, and pkg/kubelet/container/helpers.go,
 * ExpandContainerCommandAndArgs).
 */
export function startedContainer(container: Container, node: NodeKnowledge): StartedContainer {
  const environment = new Map(Object.entries(node.variables));
  for (const { name, value, valueFrom } of container.env ?? []) {
    const given = value ?? (valueFrom === undefined ? "" : (node.elsewhere?.[name] ?? `<${name}>`));
    environment.set(name, valueFrom === undefined ? expand(given, environment) : given);
  }
  const expandAll = (words: readonly string[] | null | undefined) =>
    (words ?? []).map((word) => expand(word, environment));
  const [command, args] = [expandAll(container.command), expandAll(container.args)];
  if (command.length > 0) return { words: [...command, ...args], environment };
  const { image } = node;
  const rest = args.length > 0 ? args : image.command;
  return { words: [...image.entrypoint, ...rest], environment };
}

/** k8s.io/kubernetes third_party/forked/golang/expansion/expand.go. */
function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/gs, (reference, name?: string) => {
    return name === undefined ? "$" : (variables.get(name) ?? reference);
  });
}
