import {
  type AskImages,
  askPodImages,
  ImageLookup,
  loginSourceOf,
  type OperatorProcess,
  type PodTemplate,
  parsePod,
  parseSvcConfig,
  readMarker,
  type SvcConfig,
} from "@svc/operator";
import { type ClusterView, type Manifest, type Seen, textsOf } from "../cluster/cluster-view.ts";
import { findOperator } from "../cluster/find-operator.ts";
import { findPods } from "../cluster/find-pods.ts";
import { findWebhooks } from "../cluster/find-webhook.ts";
import { contextOfConfigs } from "../inject/context-of-configs.ts";
import { reportOf } from "../inject/injection-report.ts";
import { type JudgedManifest, judgeManifests } from "../inject/judge-manifests.ts";
import { agentWarnings } from "./ask-agents.ts";
import { withReasons } from "./ask-reasons.ts";
import { commandsOfPods } from "./commands-of-pods.ts";
import { type Explanation, explain } from "./explanation.ts";
import { podStory } from "./pod-story.ts";
import { webhookReach } from "./webhook-reach.ts";

/** The object to explain. */
export interface ExplainRequest {
  readonly object: Manifest;
  readonly namespace: string;
  readonly lookUpImages: boolean;
  /** What to go by if the operator's own flags cannot be read. */
  readonly otherwise: OperatorProcess;
}

/** Says of each pod template of an object why its pods are injected into, or not. */
export async function explainObject(
  { object, namespace, lookUpImages, otherwise }: ExplainRequest,
  cluster: ClusterView,
): Promise<readonly Explanation[]> {
  const open: string[] = [];
  const known = <T>(seen: Seen<T>, instead = ""): T | undefined => {
    if (!seen.ok) open.push(`${seen.found}${instead}`);
    return seen.ok ? seen.value : undefined;
  };
  const configurations = known(await cluster.webhookConfigurations());
  const [webhook] = findWebhooks(configurations ?? []);
  const operator = webhook && known(await findOperator(webhook, cluster));
  const process = operator?.process ?? otherwise;
  if (operator === undefined && (configurations === undefined || webhook !== undefined)) {
    open.push(
      `the operator's flags: its defaults were taken, and so the prefix ${process.operator.prefix}`,
    );
  }
  const byDefault = process.defaultConfig;
  const configs = await Promise.all(
    [...new Set([namespace, byDefault?.namespace ?? namespace])].map(async (place) =>
      (known(await cluster.configs(place), "; this is judged as if there were none") ?? []).flatMap(
        (config) => readable(config, open),
      ),
    ),
  );
  const { prefix } = process.operator;
  const podsOf = once(async () => known(await findPods(object, namespace, cluster)) ?? []);
  const askOthers = lookUpImages ? askedFromHere(process, open) : leftOpen(open);
  const imagesOf = answeredByPods(podsOf, prefix, askOthers);
  const context = contextOfConfigs(process, configs.flat(), imagesOf);
  const judged = await judgeManifests([object], context, namespace);
  const namespaceLabels = known(await cluster.namespaceLabels(namespace));
  const failures = known(await cluster.failedCreations(namespace)) ?? [];
  const isOwn = judged.some((one) => asks(one) || wrappedIn(one.template.pod, prefix).length > 0);
  const pods = (isOwn ? await podsOf() : []).filter((pod) => object === pod || !isEnding(pod));
  const source = { cluster, namespace, open };
  const told = pods.map((pod) => podStory(pod, wrappedIn(pod, prefix)));
  const stories = await withReasons(told, pods, source);
  const warnings = await agentWarnings(pods, source);
  return judged.map((one) => {
    const labels = textsOf(Object(Object(one.template.pod).metadata).labels);
    const createdAt = createdAtOf(one.template, object);
    const pod = { namespace, namespaceLabels, labels, createdAt };
    return explain({
      report: reportOf(one),
      wrapped: wrappedIn(one.template.pod, prefix),
      pods: stories,
      warnings,
      silentUnder: saysNothing(one.template, prefix),
      obstacles:
        asks(one) && configurations !== undefined ? webhookReach(webhook, operator, pod) : [],
      open,
      failures: failuresOf(one.template, failures),
    });
  });
}

/** An old pod of a rollout tells nothing about those that stay. */
function isEnding({ metadata }: Manifest): boolean {
  return Object(metadata).deletionTimestamp !== undefined;
}

function asks({ injection }: JudgedManifest): boolean {
  return injection.kind !== "skip";
}

/** Only an existing pod has a time of creation to compare with. */
function createdAtOf({ kind }: PodTemplate, { metadata }: Manifest): string | undefined {
  const { creationTimestamp } = Object(metadata);
  return kind === "Pod" && typeof creationTimestamp === "string" ? creationTimestamp : undefined;
}

function wrappedIn(pod: unknown, prefix: string): readonly string[] {
  const parsed = parsePod(pod);
  if (!parsed.ok) return [];
  const read = readMarker(parsed.pod, prefix);
  return read.ok ? read.marker.containers : [];
}

/** The prefix, if no annotation under it asks for injection. */
function saysNothing({ pod }: PodTemplate, prefix: string): string | undefined {
  const { annotations, labels } = Object(Object(pod).metadata);
  const name = `${prefix}/inject`;
  return [annotations, labels].some((said) => Object.hasOwn(Object(said), name))
    ? undefined
    : prefix;
}

/** One that cannot be read keeps the operator from deciding about its namespace. */
function readable(object: unknown, open: string[]): readonly SvcConfig[] {
  const parsed = parseSvcConfig(object);
  if (parsed.ok) return [parsed.config];
  const { namespace, name } = Object(Object(object).metadata);
  const problems = parsed.problems.join("; ");
  open.push(`SvcConfig ${String(namespace)}/${String(name)}, which cannot be read: ${problems}`);
  return [];
}

/**
 * Asks from here, without credentials, unless the operator would log in: this command has not its
 * identity.
 */
function askedFromHere(
  { images: { registries, architectures }, logins }: OperatorProcess,
  open: string[],
): AskImages {
  const lookup = new ImageLookup({ settings: { ...registries, authorities: {} } });
  const credentials = async () => ({ entries: [], problems: [] });
  const ask = askPodImages({ lookup, architectures, credentials });
  const { defaultRegistry } = registries;
  return async (images, asker) => {
    const { namespace } = asker;
    const sourceOf = (image: string) =>
      loginSourceOf(logins.rules, { image, namespace, defaultRegistry });
    const own = images.filter((image) => sourceOf(image) !== undefined);
    const others = images.filter((image) => sourceOf(image) === undefined);
    for (const image of own) {
      open.push(
        `the command of image ${image}: the operator logs in there with ${sourceOf(image)}, which this command cannot`,
      );
    }
    return new Map([...assumed(own), ...(await ask(others, asker))]);
  };
}

/** Pods that the object has made tell the commands of their images: the operator has asked before. */
function answeredByPods(
  podsOf: () => Promise<readonly Manifest[]>,
  prefix: string,
  askOthers: AskImages,
): AskImages {
  return async (images, asker) => {
    const told = commandsOfPods(asker.pod, await podsOf(), (pod) => wrappedIn(pod, prefix));
    const others = images.filter((image) => !told.has(image));
    return new Map([...told, ...(await askOthers(others, asker))]);
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** The operator may be able to read objects that this command does not request. */
function leftOpen(open: string[]): AskImages {
  return async (images) => {
    for (const image of images) {
      open.push(
        `the command of image ${image}: the operator has to ask its registry; --look-up-images asks from here`,
      );
    }
    return assumed(images);
  };
}

function assumed(images: readonly string[]): Awaited<ReturnType<AskImages>> {
  const config = { entrypoint: ["/"], command: [] };
  return new Map(images.map((image) => [image, { kind: "found", config }]));
}

const MOST_FAILURES = 5;

/** The failures of the object itself and of its controllers, whose names begin with its own. */
function failuresOf({ kind, name }: PodTemplate, events: readonly Manifest[]): readonly string[] {
  if (kind === "Pod") return [];
  const own = events.filter(({ involvedObject }) => {
    const about = String(Object(involvedObject).name);
    return about === name || about.startsWith(`${name}-`);
  });
  const messages = own.map(({ message, lastTimestamp }) => {
    const time = typeof lastTimestamp === "string" ? `${lastTimestamp}: ` : "";
    return `${time}${String(message)}`.replace(/\p{Cc}+/gu, " ");
  });
  return [...new Set(messages)].slice(-MOST_FAILURES);
}
