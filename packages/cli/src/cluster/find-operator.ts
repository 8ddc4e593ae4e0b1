import { type OperatorProcess, parseOperatorFlags } from "@svc/operator";
import type { ClusterView, Manifest, Seen } from "./cluster-view.ts";
import { textsOf } from "./cluster-view.ts";
import type { FoundWebhook } from "./find-webhook.ts";

/** The operator that a webhook asks, as its Deployment says. */
export interface FoundOperator {
  /** NAMESPACE/NAME of the Deployment. */
  readonly name: string;
  readonly process: OperatorProcess;
  /** Replicas that take questions. */
  readonly available: number;
}

/** Finds the Deployment behind the webhook's service and reads its flags. */
export async function findOperator(
  { service }: FoundWebhook,
  cluster: ClusterView,
): Promise<Seen<FoundOperator>> {
  if (service === undefined) return { ok: false, found: "its webhook is reached by a URL" };
  const { namespace, name } = service;
  const read = await cluster.service(namespace, name);
  if (!read.ok) return read;
  const selector = textsOf(Object(read.value?.["spec"]).selector);
  if (Object.keys(selector).length === 0) {
    return { ok: false, found: `service ${namespace}/${name} is not there, or selects nothing` };
  }
  const deployments = await cluster.deployments(namespace);
  if (!deployments.ok) return deployments;
  const found = deployments.value.map((one) => operatorOf(one, selector, namespace));
  const operator = found.find((it) => it !== undefined);
  return operator === undefined
    ? { ok: false, found: `behind service ${namespace}/${name} there is no svc-operator` }
    : { ok: true, value: operator };
}

function operatorOf(
  { metadata, spec, status }: Manifest,
  selector: Readonly<Record<string, string>>,
  namespace: string,
): FoundOperator | undefined {
  const template = Object(Object(spec).template);
  const labels = textsOf(Object(template.metadata).labels);
  if (!Object.entries(selector).every(([key, value]) => labels[key] === value)) return undefined;
  const containers: readonly unknown[] = Object(template.spec).containers ?? [];
  for (const container of containers) {
    const parsed = parseOperatorFlags(wordsOf(container), namespace);
    if (parsed.kind !== "process") continue;
    const name = `${namespace}/${String(Object(metadata).name)}`;
    const available = Number(Object(status).availableReplicas ?? 0);
    return { name, process: parsed.process, available };
  }
  return undefined;
}

/** The words after the program's name, wherever the manifest has it. */
function wordsOf(container: unknown): readonly string[] {
  const { command = [], args = [] } = Object(container);
  const words = [command, args].flat().filter((word): word is string => typeof word === "string");
  return words[0]?.startsWith("-") === true ? words : words.slice(1);
}
