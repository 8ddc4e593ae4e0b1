import { type PullSecret, parseSvcConfig, podTemplatesOf, type SvcConfig } from "@svc/operator";
import { CliError } from "../errors.ts";
import { parseYaml } from "./parse-yaml.ts";

/** The contents of a file, by their purpose. */
export interface Manifests {
  /** Every object, in order; those of lists one by one. */
  readonly objects: readonly unknown[];
  readonly configs: readonly SvcConfig[];
  readonly pullSecrets: readonly (PullSecret & { readonly namespace: string })[];
}

/** How a text is read. */
export interface ReadRequest {
  /** For messages. */
  readonly file: string;
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Whether an object without a pod template makes pods. */
  readonly mayMakePods: (object: unknown) => boolean;
}

const PULL_TYPES = ["kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg"];

/**
 * Reads the manifests of a text, YAML or JSON, one or several documents.
 *
 * @throws CliError `MANIFEST_INVALID`
 */
export function readManifests(
  text: string,
  { file, namespace, mayMakePods }: ReadRequest,
): Manifests {
  const objects = parsed(text, file).flatMap(itemsOf);
  const problems = objects.flatMap((object, index) => problemOf(object, index, file));
  const configs: SvcConfig[] = [];
  for (const object of objects.filter((it) => kindOf(it) === "SvcConfig")) {
    const read = parseSvcConfig(placed(object, namespace));
    if (read.ok) configs.push(read.config);
    else problems.push(...read.problems.map((problem) => `${file}: ${problem}`));
  }
  if (!objects.some((object) => podTemplatesOf(object).length > 0 || mayMakePods(object))) {
    problems.push(`${file}: must hold a pod, or an object with a pod template: it holds neither`);
  }
  const [first, ...rest] = problems;
  if (first !== undefined) throw new CliError("MANIFEST_INVALID", [first, ...rest]);
  return { objects, configs, pullSecrets: objects.flatMap((it) => pullSecretOf(it, namespace)) };
}

function parsed(text: string, file: string): readonly unknown[] {
  try {
    const value = parseYaml(text);
    return [value].flat().filter((document) => document !== null);
  } catch {
    // The parser's words may quote a Secret.
    throw new CliError("MANIFEST_INVALID", [`read "${file}": it is neither YAML nor JSON`]);
  }
}

function itemsOf(object: unknown): readonly unknown[] {
  const { kind, items } = Object(object);
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)
    ? items
    : [object];
}

function problemOf(object: unknown, index: number, file: string): readonly string[] {
  const isObject = typeof object === "object" && object !== null && !Array.isArray(object);
  return isObject && kindOf(object) !== undefined
    ? []
    : [`${file}: object ${index + 1}: must be a manifest with a kind: it has none`];
}

function kindOf(object: unknown): string | undefined {
  const { kind } = Object(object);
  return typeof kind === "string" ? kind : undefined;
}

function placed(object: unknown, namespace: string): unknown {
  const { metadata } = Object(object);
  return { ...Object(object), metadata: { namespace, ...Object(metadata) } };
}

/** The data is base64; `stringData` is not. */
function pullSecretOf(object: unknown, byDefault: string) {
  const { kind, type, metadata, data, stringData } = Object(object);
  if (kind !== "Secret" || !PULL_TYPES.includes(type)) return [];
  const { name, namespace = byDefault } = Object(metadata);
  const plain = Object.entries(Object(stringData)).map(([key, value]) => [
    key,
    btoa(String(value)),
  ]);
  const texts = { ...Object(data), ...Object.fromEntries(plain) };
  return [{ namespace: String(namespace), name: String(name), type: String(type), data: texts }];
}
