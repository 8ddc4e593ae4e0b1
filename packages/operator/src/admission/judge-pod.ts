import { KubernetesError } from "@svc/kubernetes";
import { type Problem, problem } from "@svc/settings";
import type { AskedInjection } from "../annotations/parse-annotations.ts";
import { readAsked, type Settled, settle } from "../inject/decide-injection.ts";
import type { ImageAnswer } from "../inject/find-program.ts";
import { imagesNeeded, inject } from "../inject/inject.ts";
import type { Injection } from "../inject/injection.ts";
import type { InjectionSettings } from "../inject/injection-settings.ts";
import { refusal } from "../inject/refusal.ts";
import type { Pod } from "../pod/pod.ts";
import { chooseConfig } from "../svc-config/choose-config.ts";
import type { AbsentConfig, AdmissionContext, UnreadableConfig } from "./admission-context.ts";
import { type Timely, withinTime } from "./within-time.ts";

/** A pod as it comes to admission. */
export interface ComingPod {
  readonly pod: Pod;
  readonly operation: string;
  readonly namespace: string;
  /** The moment of `performance.now()` by which it has to be judged. */
  readonly endMs: number;
}

/** The decision about a pod. */
export interface Judgement {
  readonly injection: Injection;
  /** The lookup that did not answer or failed; undefined if all answered. */
  readonly fault?: "late" | "broken";
}

/** Judges a pod: its request, its SvcConfig, the images that have to be known, the patch. */
export async function judgePod(coming: ComingPod, context: AdmissionContext): Promise<Judgement> {
  const { pod } = coming;
  const read = readAsked(coming, context.operator);
  if (read.kind !== "asked") return { injection: read };
  const settled = await settledOf(coming, read.wanted, context);
  if ("injection" in settled) return settled;
  if (settled.kind !== "settings") return { injection: settled };
  const { settings } = settled;
  const { images, fault } = await imagesFor(coming, settings, context);
  const injection = inject({ pod, settings, images });
  // An image that was late does not matter for a pod that is refused, or left alone, without it.
  return fault === undefined || injection.kind === "patch" ? { injection } : { injection, fault };
}

/** The settings by which the pod is injected into. */
async function settledOf(
  { pod, namespace, endMs }: ComingPod,
  wanted: AskedInjection,
  { operator, configsOf, clusterDefault }: AdmissionContext,
): Promise<Settled | Judgement> {
  const cannot = (one: Problem) => refusal(pod, [one], operator);
  const named = wanted.values.config;
  const found = await withinTime(endMs, (signal) => configsOf(namespace, { named, signal }));
  if (found.kind !== "answer") {
    const variable = `SvcConfigs of namespace ${namespace}`;
    const parts = { variable, wanted: "readable", found: silence(found), hint: TRY_AGAIN };
    return { injection: cannot(problem(parts)), fault: faultOf(found) };
  }
  const unreadable = found.value.find((config) => "problems" in config);
  if (unreadable !== undefined) return cannot(unreadableProblem(unreadable));
  const byDefault = clusterDefault();
  const noDefault = byDefault === undefined || "spec" in byDefault ? undefined : byDefault;
  const chosen = chooseConfig({
    named,
    labels: pod.metadata.labels ?? {},
    inNamespace: found.value.filter((config) => "spec" in config),
    clusterDefault: byDefault !== undefined && "spec" in byDefault ? byDefault : undefined,
  });
  // Its restrictions are not known.
  if (noDefault !== undefined && chosen.kind === "none") {
    return cannot("absent" in noDefault ? absentProblem(noDefault) : unreadableProblem(noDefault));
  }
  if (chosen.kind === "several") {
    return cannot(
      problem({
        variable: `${operator.prefix}/config`,
        wanted: "the name of one SvcConfig, if selectors of several match the pod",
        found: `they are of ${chosen.names.join(", ")}`,
      }),
    );
  }
  const config = chosen.kind === "config" ? chosen.config : undefined;
  return settle(pod, wanted, { config, operator, namespace });
}

function unreadableProblem({ namespace, name, problems }: UnreadableConfig): Problem {
  const variable = `SvcConfig ${namespace}/${name}`;
  const hint = "correct it or delete it: its restrictions cannot be known";
  return problem({ variable, wanted: "readable", found: problems.join("; "), hint });
}

function absentProblem({ absent }: AbsentConfig): Problem {
  const variable = "the operator's --default-config";
  const hint = "create it, or put a SvcConfig called default into the pod's namespace";
  return problem({ variable, wanted: "there", found: `${absent} is not`, hint });
}

interface KnownImages {
  readonly images: ReadonlyMap<string, ImageAnswer>;
  readonly fault?: NonNullable<Judgement["fault"]>;
}

async function imagesFor(
  { pod, namespace, endMs }: ComingPod,
  settings: InjectionSettings,
  { imagesOf }: AdmissionContext,
): Promise<KnownImages> {
  const needed = imagesNeeded(pod, settings);
  if (needed.length === 0) return { images: new Map() };
  const found = await withinTime(endMs, (signal) => imagesOf(needed, { namespace, pod, signal }));
  if (found.kind === "answer") {
    const isPassing = [...found.value.values()].some(isPassingFailure);
    return {
      images: found.value,
      ...((found.isCutShort || isPassing) && { fault: "late" as const }),
    };
  }
  const answer: ImageAnswer = { kind: "unreadable", reason: silence(found) };
  return { images: new Map(needed.map((image) => [image, answer])), fault: faultOf(found) };
}

function isPassingFailure(answer: ImageAnswer): boolean {
  return answer.kind === "unreadable" && answer.isPassing === true;
}

const TRY_AGAIN = "create the pod again";

function silence(found: Exclude<Timely<unknown>, { readonly kind: "answer" }>): string {
  if (found.kind === "late") return "no answer came in time";
  if (found.error instanceof KubernetesError) return "the API server did not give them";
  // The text of unknown errors may quote their input.
  return `looking failed: ${found.error instanceof Error ? found.error.name : typeof found.error}`;
}

function faultOf({ kind }: Exclude<Timely<unknown>, { readonly kind: "answer" }>) {
  return kind === "late" ? "late" : "broken";
}
