import { setTimeout as sleep } from "node:timers/promises";
import { flagSections } from "@svc/settings";
import type { ClusterView, Manifest } from "../cluster/cluster-view.ts";
import { findObject } from "../cluster/find-object.ts";
import { findPods } from "../cluster/find-pods.ts";
import { type FoundWrapper, findWrappers } from "../cluster/find-wrappers.ts";
import { openCluster, orUnreadable } from "../cluster/open-cluster.ts";
import { answerWithoutSettings } from "../command-line.ts";
import { CliError } from "../errors.ts";
import { refuseProblems } from "../refuse-problems.ts";
import type { CommandOutput } from "../write-output.ts";
import { askWrapper } from "./ask-wrapper.ts";
import { refreshFlags } from "./refresh-flags.ts";
import { exitStatusOf, outcomeOf, outcomeText, type RefreshOutcome } from "./refresh-outcome.ts";
import { parseRefresh, type RefreshSettings } from "./refresh-settings.ts";

const LEAST_PAUSE_MS = 1000;
/** The API server gets no more questions than one in this time, for all wrappers together. */
const QUESTION_MS = 50;

/**
 * Runs `svc refresh`.
 *
 * @param words those behind the command's name
 * @returns the exit status: 0, 2 or 3 as in `outcomes`, or 125 if it failed
 * @throws CliError
 */
export async function runRefresh(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
  { out, err }: CommandOutput,
): Promise<number> {
  const parsed = parseRefresh(words, environment);
  if (parsed.kind !== "settings") return answerWithoutSettings(parsed, help, { out, err });
  const { settings } = parsed;
  const beganMs = performance.now();
  return orUnreadable(async () => {
    const looked = await look(settings, environment);
    if (looked.kind === "unknown") return refuseProblems([looked.problem], err);
    const { title, wrappers } = looked;
    if (wrappers.length === 0) err(`svc: warning: ${title} has no pods with a wrapper that run\n`);
    const found = await refreshAll(looked, settings, err);
    const tookMs = Math.round(performance.now() - beganMs);
    if (settings.output === "json")
      out(`${JSON.stringify({ object: title, wrappers: found, tookMs })}\n`);
    else out(summaryOf(title, found, tookMs));
    return exitStatusOf(found);
  });
}

async function look(settings: RefreshSettings, environment: ReadonlyMap<string, string>) {
  const { api, cluster, namespace } = await openCluster(settings, environment);
  const found = await findObject(settings, namespace, cluster);
  if (found.kind === "unknown") return found;
  const { object, title } = found;
  const wrappers = findWrappers(await podsOf(object, namespace, cluster));
  return { ...{ kind: "found" as const, api, namespace }, title, wrappers };
}

async function podsOf(
  object: Manifest,
  namespace: string,
  cluster: ClusterView,
): Promise<readonly Manifest[]> {
  const pods = await findPods(object, namespace, cluster);
  if (!pods.ok) throw new CliError("CLUSTER_UNREADABLE", [pods.found]);
  return pods.value;
}

type Looked = Extract<Awaited<ReturnType<typeof look>>, { readonly kind: "found" }>;

async function refreshAll(
  { api, namespace, wrappers }: Looked,
  { wait, timeoutMs, dryRun }: RefreshSettings,
  err: (text: string) => void,
): Promise<readonly RefreshOutcome[]> {
  if (dryRun) return wrappers.map((wrapper) => outcomeOf(wrapper, "would be asked"));
  const pauseMs = Math.max(LEAST_PAUSE_MS, wrappers.length * QUESTION_MS);
  const progress = ({ pod, container }: FoundWrapper, text: string) =>
    err(`svc: pod ${pod}, container ${container}: ${text}\n`);
  const nowMs = () => performance.now();
  const run = { ...{ api, namespace, wait, pauseMs, nowMs, progress }, sleep };
  const deadlineMs = nowMs() + timeoutMs;
  return Promise.all(
    wrappers.map(async (wrapper, index) => {
      await sleep(index * QUESTION_MS);
      return askWrapper(wrapper, { ...run, deadlineMs });
    }),
  );
}

function summaryOf(title: string, found: readonly RefreshOutcome[], tookMs: number): string {
  const lines = found.map((one) => `${outcomeText(one)}\n`);
  const fresh = found.filter(({ outcome }) => ["current", "gone"].includes(outcome)).length;
  const seconds = (tookMs / 1000).toFixed(1);
  return `${lines.join("")}${title}: ${fresh} of ${found.length} have the newest values, after ${seconds} s\n`;
}

function help(): string {
  return `usage: svc refresh KIND NAME [FLAGS]

Has the wrappers of a workload check their secrets at once, and waits until each program
has the newest values. Rotations keep their rules: SVC_ROTATION, the splay, permits. The
command asks the wrappers through the API server: its user needs the right to read the
object and to list pods, and the rights \`get\` and \`create\` on \`pods/proxy\`. A wrapper
grants three such checks at once, and then one in each RENEWAL_INTERVAL; otherwise the
command waits. The exit status is

  0  each program has the newest values (with --wait=false: each wrapper checks)
  2  a wrapper never checks, or cannot be asked; or the object has none
  3  a program does not have the newest values within --timeout
  125  the command itself has failed

  svc refresh deployment/web -n shop
  svc refresh pod web-7d4b9c5f6-x2x7p -n shop --wait=false

${flagSections(refreshFlags)}
`;
}
