import type { NodeState } from "@svc/vault";
import type { StorePod } from "../kubernetes/choose-pods.ts";
import type { Silence } from "../nodes/store-nodes.ts";
import { RESET_AFTER_MS } from "../secret/next-step.ts";
import type {
  ClaimMark,
  Initialising,
  PodMark,
  Resetting,
  SecretPhase,
} from "../secret/secret-phase.ts";

/** A pod of the store as it is now. */
export interface FoundNode {
  readonly name: string;
  readonly pod: Pick<StorePod, "uid" | "containers" | "claims">;
  readonly state: NodeState | Silence;
}

/** Everything that a reset is judged by. */
export interface ResetFacts {
  readonly secret: SecretPhase;
  readonly nodes: readonly FoundNode[];
  /** The claim that is to have the store's data; undefined if there is none. */
  readonly claim: ClaimMark | undefined;
  /** The Secret in which a run may have put keys beside this one; `none` if it could make none. */
  readonly beside: "none" | "absent" | "present" | "unknown";
  readonly nowMs: number;
}

/** The objects to delete, or all reasons against it. */
export type ResetVerdict =
  | { readonly verdict: "delete"; readonly pod: PodMark; readonly claim: ClaimMark }
  | { readonly verdict: "refuse"; readonly reasons: readonly string[] };

/**
 * Decides whether a store may be deleted. It may if all of this is known:
 *
 * 1. A run of this command has noted that it sends the initialisation, to which pod, and that it
 * had no keys then.
 * 2. That run has had more time than it takes, or has released its reservation; its keys are
 * nowhere. 3. That pod's containers are those that said, before the note, that the store is not
 * initialised. So no restart
 *    has sealed a store that was open.
 * 4. It is sealed, was split as the run wanted it, and has been given no share.
 * 5. No other pod has joined it: a pod joins a store that is open.
 */
export function judgeReset(facts: ResetFacts): ResetVerdict {
  const { secret, claim } = facts;
  if (secret.phase !== "initialising" && secret.phase !== "resetting") {
    return { verdict: "refuse", reasons: [phaseReason(secret)] };
  }
  const reasons = [
    ...ageReasons(secret, facts.nowMs),
    ...besideReasons(secret, facts.beside),
    ...nodesReasons(secret, facts.nodes),
    ...claimReasons(secret, facts),
  ];
  if (reasons.length > 0 || claim === undefined) return { verdict: "refuse", reasons };
  return { verdict: "delete", pod: secret.pod, claim };
}

type Lost = Initialising | Resetting;

function phaseReason(secret: Exclude<SecretPhase, Lost>): string {
  switch (secret.phase) {
    case "absent":
      return "there is no Secret: this command did not initialise the store, or the Secret was deleted";
    case "empty":
      return "the Secret is empty: this command did not initialise the store";
    case "reserved":
      return `"${secret.holder}" has reserved the Secret and did not begin to initialise the store`;
    case "initialised":
      return "the Secret has keys";
    case "foreign":
      return `the Secret is not as this command leaves it: ${secret.why}`;
  }
}

function ageReasons(secret: Lost, nowMs: number): readonly string[] {
  const ageMs = Math.abs(nowMs - secret.sinceMs);
  if (secret.phase === "resetting" || ageMs > RESET_AFTER_MS) return [];
  const minutes = RESET_AFTER_MS / 60_000;
  const since = new Date(secret.sinceMs).toISOString();
  return [
    `"${secret.holder}" may have its keys since ${since}: wait until ${minutes} minutes are over`,
  ];
}

function besideReasons(secret: Lost, beside: ResetFacts["beside"]): readonly string[] {
  const name = secret.phase === "initialising" ? secret.beside : undefined;
  if (name === undefined || beside === "none" || beside === "absent") return [];
  return [
    beside === "present"
      ? `the Secret ${name} beside it has keys`
      : `whether the Secret ${name} beside it has keys cannot be read`,
  ];
}

function nodesReasons(secret: Lost, nodes: readonly FoundNode[]): readonly string[] {
  const { pod } = secret;
  const marked = nodes.find(({ name }) => name === pod.name);
  const others = nodes.filter(({ name }) => name !== pod.name);
  return [
    ...(marked === undefined ? [`${pod.name} is not there`] : markedReasons(secret, marked)),
    ...others.flatMap(({ name, state }) => {
      if ("silent" in state) return [`${name} ${state.silent}`];
      return state.initialized
        ? [`${name} is initialised: it has joined a store that was open`]
        : [];
    }),
  ];
}

function markedReasons(secret: Lost, { name, pod, state }: FoundNode): readonly string[] {
  const { uid, containers } = secret.pod;
  if (pod.uid !== uid) return [`${name} is another pod than the one that was initialised`];
  return [
    ...(containers === undefined || pod.containers !== containers
      ? [`${name} is not known to run as it did before it was initialised: it may have been open`]
      : []),
    ...("silent" in state ? [`${name} ${state.silent}`] : stateReasons(secret, name, state)),
  ];
}

function stateReasons(secret: Lost, name: string, state: NodeState): readonly string[] {
  const { initialized, sealed, progress, storageType = "unknown" } = state;
  if (!initialized) return [`${name} is not initialised: there is nothing to reset`];
  if (!sealed) return [`${name} is unsealed: a person or a process has its keys`];
  const given =
    progress > 0
      ? [`${name} was given ${progress} shares: a person or a process has its keys`]
      : [];
  const kept = ["raft", "file"].includes(storageType)
    ? []
    : [`${name} keeps its data elsewhere than on its disk: its storage is ${storageType}`];
  return [...given, ...kept, ...splitReasons(secret, name, state)];
}

function splitReasons(secret: Lost, name: string, state: NodeState): readonly string[] {
  if (secret.phase === "resetting") return [];
  if (state.shares === 0) return [`${name} is still being initialised`];
  const { shares, threshold } = secret;
  if (state.shares === shares && state.threshold === threshold) return [];
  const found = `has ${state.shares} shares of which ${state.threshold} are needed`;
  return [
    `${name} ${found}, not ${shares} of which ${threshold} are: another client initialised it`,
  ];
}

function claimReasons(secret: Lost, { nodes, claim }: ResetFacts): readonly string[] {
  const marked = nodes.find(({ name }) => name === secret.pod.name);
  if (marked === undefined) return [];
  if (claim === undefined) return [`${secret.pod.name} has no claim with the store's data`];
  if (!marked.pod.claims.includes(claim.name))
    return [`${secret.pod.name} does not mount ${claim.name}`];
  if (secret.phase === "resetting" && secret.claim.uid !== claim.uid) {
    return [`${claim.name} is another claim than the one that was to be deleted`];
  }
  return [];
}
