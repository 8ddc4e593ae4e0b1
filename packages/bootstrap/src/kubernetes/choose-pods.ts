import { BootstrapError } from "../bootstrap-error.ts";

/** A pod of a namespace, as far as the bootstrap looks at it. */
export interface PodFacts {
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The kinds of its owners. */
  readonly owners: readonly string[];
  readonly hostname: string | undefined;
  readonly subdomain: string | undefined;
  /** `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`; empty if the server says none. */
  readonly phase: string;
  /** A digest of its containers and their starts; undefined if one has not started. */
  readonly containers: string | undefined;
  /** The names of the persistent volume claims that it mounts. */
  readonly claims: readonly string[];
}

/** A pod of the store's StatefulSet. */
export interface StorePod
  extends Pick<PodFacts, "name" | "uid" | "phase" | "containers" | "claims"> {
  /** The number at the end of its name. */
  readonly index: number;
  /** Its name in the cluster's DNS. */
  readonly host: string;
}

/** The owner of the pods. */
export interface Release {
  readonly namespace: string;
  /** The Helm release: the pods' label `app.kubernetes.io/instance`. */
  readonly releaseName: string;
  /** If it is set, the pods are `<prefix>-<n>` regardless of their labels. */
  readonly podPrefix?: string;
}

const INSTANCE = "app.kubernetes.io/instance";

/**
 * The store's pods by number: those of one StatefulSet that have the release's label, and of these
 * the servers if the labels say which are. Without a pod of that label the release's name is a
 * prefix of the pods' names.
 * @throws BootstrapError `PODS_AMBIGUOUS`
 */
export function choosePods(pods: readonly PodFacts[], release: Release): readonly StorePod[] {
  const members = pods.filter(isOfStatefulSet).flatMap(memberOf);
  const chosen = chosenPrefix(members, release);
  return members
    .filter(({ prefix }) => prefix === chosen)
    .map((member) => storePod(member, release))
    .toSorted((a, b) => a.index - b.index);
}

interface Member {
  readonly prefix: string;
  readonly index: number;
  readonly pod: PodFacts;
}

function chosenPrefix(members: readonly Member[], release: Release): string {
  const { namespace, releaseName, podPrefix } = release;
  if (podPrefix !== undefined) return podPrefix;
  const labelled = members.filter(({ pod }) => pod.labels[INSTANCE] === releaseName);
  const servers = labelled.filter(({ pod }) => isServer(pod));
  const found = servers.length > 0 ? servers : labelled;
  const prefixes = [...new Set(found.map(({ prefix }) => prefix))];
  if (prefixes.length <= 1) return prefixes[0] ?? releaseName;
  const asked = `find the store's pods in namespace "${namespace}"`;
  const names = prefixes.toSorted().map((prefix) => `${prefix}-<n>`);
  const message = `${asked}: ${INSTANCE}=${releaseName} is of ${names.join(" and ")}`;
  throw new BootstrapError("PODS_AMBIGUOUS", message);
}

/** As the charts of Vault and OpenBao label their servers. */
function isServer({ labels }: PodFacts): boolean {
  return labels["component"] === "server" || labels["app.kubernetes.io/component"] === "server";
}

/** A Job's pod may have such a name by chance. A pod without an owner tells nothing else. */
function isOfStatefulSet({ owners }: PodFacts): boolean {
  return owners.length === 0 || owners.includes("StatefulSet");
}

function memberOf(pod: PodFacts): readonly Member[] {
  const parts = /^(.+)-(0|[1-9]\d{0,4})$/.exec(pod.name);
  const [, prefix, index] = parts ?? [];
  return prefix === undefined ? [] : [{ prefix, index: Number(index), pod }];
}

/**
 * A StatefulSet gives its pods the name of its headless service; the charts call that
 * `<name>-internal`.
 */
function storePod({ prefix, index, pod }: Member, { namespace }: Release): StorePod {
  const { name, uid, phase, containers, claims } = pod;
  const { hostname = name, subdomain = `${prefix}-internal` } = pod;
  const host = `${hostname}.${subdomain}.${namespace}`;
  return { name, uid, phase, containers, claims, index, host };
}

/** The wanted pods and the existing ones, for a message. */
export function describeNoPods(pods: readonly PodFacts[], release: Release): string {
  const { namespace, releaseName, podPrefix } = release;
  const wanted =
    podPrefix === undefined
      ? `no pod of a StatefulSet has ${INSTANCE}=${releaseName} or is called ${releaseName}-<n>`
      : `no pod of a StatefulSet is called ${podPrefix}-<n>`;
  if (pods.length === 0) return `${wanted}; namespace "${namespace}" has no pods`;
  const shown = pods.slice(0, MOST_SHOWN).map(described);
  const more = pods.length > MOST_SHOWN ? ` and ${pods.length - MOST_SHOWN} more` : "";
  return `${wanted}; there are ${shown.join(", ")}${more}`;
}

/** A message is for people. */
const MOST_SHOWN = 5;

function described({ name, labels }: PodFacts): string {
  const instance = labels[INSTANCE];
  return instance === undefined ? name : `${name} (of release ${instance})`;
}
