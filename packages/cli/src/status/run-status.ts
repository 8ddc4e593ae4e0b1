import { flagSections, type Problem } from "@svc/settings";
import type { ClusterView, Manifest } from "../cluster/cluster-view.ts";
import { findObject } from "../cluster/find-object.ts";
import { findPods } from "../cluster/find-pods.ts";
import { openCluster, orUnreadable } from "../cluster/open-cluster.ts";
import { answerWithoutSettings } from "../command-line.ts";
import { CliError } from "../errors.ts";
import { refuseProblems } from "../refuse-problems.ts";
import type { CommandOutput } from "../write-output.ts";
import { askStatus, type WrapperStatus } from "./ask-status.ts";
import { statusFlags } from "./status-flags.ts";
import { parseStatus, type StatusSettings } from "./status-settings.ts";
import { holdersOf, pathText, workloadsText } from "./status-text.ts";

/** The meaning of the command's exit statuses. */
const statuses = { good: 0, unknown: 2, trouble: 3 } as const;

/**
 * Runs `svc status`.
 *
 * @param words those behind the command's name
 * @returns the exit status: one of `statuses`, or 125 if it failed
 * @throws CliError
 */
export async function runStatus(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
  { out, err }: CommandOutput,
): Promise<number> {
  const parsed = parseStatus(words, environment);
  if (parsed.kind !== "settings") return answerWithoutSettings(parsed, help, { out, err });
  const { settings } = parsed;
  return orUnreadable(async () => {
    const looked = await look(settings, environment);
    if (looked.kind === "unknown") return refuseProblems([looked.problem], err);
    const { wrappers, place } = looked;
    if (settings.output === "json") out(`${jsonOf(wrappers, settings)}\n`);
    else if (wrappers.length > 0) out(`${textOf(wrappers, settings)}\n`);
    if (wrappers.length === 0) err(`svc: warning: ${place} has no pods with a wrapper that run\n`);
    return exitStatusOf(wrappers, settings);
  });
}

type Looked =
  | { readonly kind: "unknown"; readonly problem: Problem }
  | {
      readonly kind: "found";
      readonly wrappers: readonly WrapperStatus[];
      /** For people. */
      readonly place: string;
    };

async function look(
  settings: StatusSettings,
  environment: ReadonlyMap<string, string>,
): Promise<Looked> {
  const { cluster, namespace } = await openCluster(settings, environment);
  const found = await findPlace(settings, namespace, cluster);
  if (found.kind === "unknown") return found;
  const { pods, place } = found;
  return { kind: "found", place, wrappers: await askStatus(pods, cluster) };
}

type FoundPlace =
  | { readonly kind: "unknown"; readonly problem: Problem }
  | { readonly kind: "found"; readonly pods: readonly Manifest[]; readonly place: string };

async function findPlace(
  { object, allNamespaces }: StatusSettings,
  namespace: string,
  cluster: ClusterView,
): Promise<FoundPlace> {
  if (object !== undefined) {
    const found = await findObject(object, namespace, cluster);
    if (found.kind === "unknown") return found;
    const pods = await findPods(found.object, namespace, cluster);
    return { kind: "found", pods: listed(pods), place: found.title };
  }
  const pods = allNamespaces ? await cluster.allPods() : await cluster.pods(namespace, "");
  const place = allNamespaces ? "the cluster" : `namespace ${namespace}`;
  return { kind: "found", pods: listed(pods), place };
}

function listed(pods: Awaited<ReturnType<ClusterView["allPods"]>>): readonly Manifest[] {
  if (!pods.ok) throw new CliError("CLUSTER_UNREADABLE", [pods.found]);
  return pods.value;
}

function textOf(wrappers: readonly WrapperStatus[], { path }: StatusSettings): string {
  return path === undefined
    ? workloadsText(wrappers, Date.now())
    : pathText(path, wrappers, Date.now());
}

function jsonOf(wrappers: readonly WrapperStatus[], { path }: StatusSettings): string {
  if (path === undefined) return JSON.stringify({ wrappers });
  const holders = holdersOf(path, wrappers).map(({ wrapper, version, since }) => {
    const { told: _, ...place } = wrapper;
    return { ...place, version, since };
  });
  const unreached = wrappers.filter(({ told }) => told.kind === "unreached");
  return JSON.stringify({ path, holders, unreached });
}

function exitStatusOf(wrappers: readonly WrapperStatus[], { path }: StatusSettings): number {
  const told = wrappers.flatMap((one) => (one.told.kind === "told" ? [one.told] : []));
  const versions = new Set(
    path === undefined ? [] : holdersOf(path, wrappers).map(({ version }) => version),
  );
  const isGood =
    path === undefined ? told.every(({ status }) => status === "ready") : versions.size <= 1;
  if (!isGood) return statuses.trouble;
  const isKnown = wrappers.length > 0 && told.length === wrappers.length;
  return isKnown ? statuses.good : statuses.unknown;
}

function help(): string {
  return `usage: svc status [KIND NAME] [FLAGS]

Shows the workloads whose pods have a wrapper: how many programs are ready, how they get
their secrets, the lowest protection score, and which versions they run since when. The
command asks each wrapper through the API server: its user needs the right to list pods,
and the right \`get\` on \`pods/proxy\`. It only reads. The exit status is

  0  every program is ready; with --path: all that have the secret have the same version
  2  a wrapper could not be asked, or none was found
  3  a program is not ready; with --path: programs have different versions
  125  the command itself has failed

  svc status -n shop
  svc status deployment/web -n shop
  svc status -A --path secret/data/db

${flagSections(statusFlags)}
`;
}
