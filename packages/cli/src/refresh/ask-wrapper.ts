import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import type { FoundWrapper } from "../cluster/find-wrappers.ts";
import { plain, type ToldSecret, toldSecrets } from "../cluster/told-secrets.ts";
import { outcomeOf, type RefreshOutcome } from "./refresh-outcome.ts";

/** How a wrapper is asked. */
export interface RefreshRun {
  readonly api: Pick<KubernetesApi, "ask">;
  readonly namespace: string;
  readonly wait: boolean;
  /** By `nowMs`. */
  readonly deadlineMs: number;
  /** Between two questions to the same wrapper. */
  readonly pauseMs: number;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Hears of each new state of a wrapper, for people. */
  readonly progress: (wrapper: FoundWrapper, text: string) => void;
}

/** The state that a wrapper has told, or the reason why it has told none. */
type Told =
  | {
      readonly kind: "state";
      readonly state: string;
      readonly reason: string;
      readonly secrets: readonly ToldSecret[];
    }
  | { readonly kind: "limited" | "gone" | "older" }
  | { readonly kind: "unreached"; readonly reason: string };

const OLDER = "its wrapper is older than svc refresh: it checks after RENEWAL_INTERVAL";

/**
 * Has a wrapper check its secrets, and follows it until the program has the newest values.
 *
 * @throws KubernetesError `KUBERNETES_DENIED` if the user lacks a right, which others need too
 */
export async function askWrapper(wrapper: FoundWrapper, run: RefreshRun): Promise<RefreshOutcome> {
  if (wrapper.proxied === undefined) {
    return outcomeOf(wrapper, "unreached", "it listens on the pod's loopback alone");
  }
  const path = `/api/v1/namespaces/${encodeURIComponent(run.namespace)}/pods/${wrapper.proxied}/proxy/v1/check`;
  let hasBegun = false;
  let said = "";
  for (;;) {
    const told = await ask(run, hasBegun ? "GET" : "POST", path);
    const end = endOf(wrapper, told);
    if (end !== undefined) return end;
    hasBegun ||= told.kind === "state" && told.state !== "waiting";
    if (hasBegun && !run.wait) return outcomeOf(wrapper, "begun");
    const reason = reasonOf(told);
    if (run.nowMs() >= run.deadlineMs) return outcomeOf(wrapper, "outdated", reason);
    if (reason !== said) run.progress(wrapper, reason);
    said = reason;
    await run.sleep(Math.min(run.pauseMs, Math.max(0, run.deadlineMs - run.nowMs())));
  }
}

/** Undefined if the wrapper has to be asked again. */
function endOf(wrapper: FoundWrapper, told: Told): RefreshOutcome | undefined {
  switch (told.kind) {
    case "gone":
      return outcomeOf(wrapper, "gone");
    case "older":
      return outcomeOf(wrapper, "unreached", OLDER);
    case "state":
      if (told.state === "current") return current(wrapper, told.secrets);
      return told.state === "unchecked" ? outcomeOf(wrapper, "unchecked", told.reason) : undefined;
    default:
      return undefined;
  }
}

function current(wrapper: FoundWrapper, secrets: readonly ToldSecret[]): RefreshOutcome {
  return { ...outcomeOf(wrapper, "current"), ...(secrets.length > 0 && { secrets }) };
}

function reasonOf(told: Told): string {
  switch (told.kind) {
    case "state":
    case "unreached":
      return told.reason;
    default:
      return "too many checks were asked for";
  }
}

async function ask(
  { api, namespace }: RefreshRun,
  method: "GET" | "POST",
  path: string,
): Promise<Told> {
  const operation = `ask the wrappers of namespace ${namespace} through pods/proxy`;
  try {
    const { state, reason = state, secrets } = Object(await api.ask({ method, path, operation }));
    const words = { state: plain(String(state)), reason: plain(String(reason)) };
    return { kind: "state", ...words, secrets: toldSecrets(secrets) };
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.code === "KUBERNETES_DENIED") throw error;
    return refused(error);
  }
}

/** The API server gives a reason with its own refusals, and a wrapper gives none. */
function refused({ status, reason, message }: KubernetesError): Told {
  const isOfServer = reason !== undefined && reason !== "";
  if (status === 404) return { kind: isOfServer ? "gone" : "older" };
  if (status === 405 && !isOfServer) return { kind: "older" };
  if (status === 429 && !isOfServer) return { kind: "limited" };
  return { kind: "unreached", reason: message };
}
