import { hasEnded, holdsAnywhere } from "./compile-policies.ts";
import { type FoundPods, uidsOf } from "./found-pods.ts";
import type { PodSelector, Policy, PolicyExecutable } from "./policy.ts";
import type { FoundExecutable } from "./read-executable.ts";

export type FoundExecutables = ReadonlyMap<string, FoundExecutable>;

/** A policy as the agent reports it. */
export interface PolicyState {
  readonly name: string;
  readonly reason: string;
  readonly mode: Policy["mode"];
  readonly expires?: string;
  /** One that holds `nowhere` lets no process through. */
  readonly state: "in force" | "expired" | "nowhere";
  /** How many pods of this machine it names; none if it names no pods. */
  readonly pods?: number;
  /** Executables, namespaces and pods that let no process through, each with the reason. */
  readonly unusable?: readonly string[];
}

/** The facts that the state of a policy depends on. */
export interface StateContext {
  readonly files: FoundExecutables;
  readonly pods: FoundPods;
  readonly nowMs: number;
  readonly seesMachine: boolean;
  /** Why the kernel side knows no pod of this machine by its folder; undefined if it does. */
  readonly objectionToFolders?: string | undefined;
}

/** Pure. */
export function stateOf(policy: Policy, context: StateContext): PolicyState {
  const { name, reason, mode, expiresMs, executables } = policy;
  const uids = new Set(policy.pods.flatMap((wanted) => uidsOf(context.pods, wanted)));
  const folders = uids.size > 0 ? context.objectionToFolders : undefined;
  const unusable = [
    ...executables.flatMap((wanted) => objectionTo(wanted, context.files) ?? []),
    ...policy.pods.flatMap((wanted) => objectionToPods(wanted, context.pods) ?? []),
    ...(folders === undefined ? [] : [`pods: ${folders}`]),
  ];
  return {
    ...{ name, reason, mode },
    ...(expiresMs !== undefined && { expires: new Date(expiresMs).toISOString() }),
    state: lifeOf(policy, context),
    ...(policy.pods.length > 0 && { pods: uids.size }),
    ...(unusable.length > 0 && { unusable }),
  };
}

function lifeOf(policy: Policy, { nowMs, seesMachine }: StateContext): PolicyState["state"] {
  if (hasEnded(policy, nowMs)) return "expired";
  return seesMachine || holdsAnywhere(policy) ? "in force" : "nowhere";
}

function objectionTo(wanted: PolicyExecutable, files: FoundExecutables): string | undefined {
  const found = files.get(wanted.path);
  if (found?.kind !== "file") return `${wanted.path}: ${found?.reason ?? "it was not looked at"}`;
  const { sha256 } = found.facts;
  if (sha256 === wanted.sha256) return undefined;
  return `${wanted.path}: wanted sha256 ${wanted.sha256}, found ${sha256}`;
}

function objectionToPods({ namespace }: PodSelector, pods: FoundPods): string | undefined {
  const found = pods.get(namespace);
  if (found?.kind === "pods") return undefined;
  return `pods of namespace ${namespace}: ${found?.reason ?? "they were not looked at"}`;
}
