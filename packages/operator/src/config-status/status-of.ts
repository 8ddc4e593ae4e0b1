import type { WatchedConfig } from "../svc-config/watched-config.ts";
import type { Finding, Findings, FindingType } from "./finding.ts";
import { type ConfigContext, judgeConfig } from "./judge-config.ts";

/** One condition of a SvcConfig, as Kubernetes writes them (metav1.Condition). */
export interface Condition {
  readonly type: "Ready" | FindingType;
  readonly status: "True" | "False";
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** The status of a SvcConfig. */
export interface ConfigStatus {
  readonly ready: boolean;
  readonly message: string;
  readonly observedGeneration: number;
  /** When it was judged; renewed with every other change, and every hour. */
  readonly lastValidated: string;
  /** Running pods that have its settings; absent until they were counted. */
  readonly injectedPods?: number;
  readonly conditions: readonly Condition[];
}

/** The pods of a SvcConfig; undefined before the first count. */
export type PodCount = number | undefined;

/** Half of the definition's limit, which counts bytes. */
const MOST_TEXT = 4096;
const HOUR_MS = 3_600_000;

/**
 * The status that a SvcConfig should have; the very one that it has if nothing but the time has
 * changed.
 */
export function statusOf(
  config: WatchedConfig,
  context: ConfigContext,
  count: PodCount,
): ConfigStatus {
  const before = readStatus(config.status);
  const now = new Date(context.nowMs).toISOString().replace(/\.\d+/, "");
  const findings = judgeConfig(config, context);
  const ready = readyOf(findings);
  const all: Readonly<Record<string, Finding>> = { Ready: ready, ...findings };
  const conditions = conditionTypes.flatMap((type): readonly Condition[] => {
    const finding = all[type];
    if (finding === undefined) return [];
    const same = before?.conditions.find((one) => one.type === type);
    const status = finding.isGood ? "True" : "False";
    const since = same?.status === status ? same.lastTransitionTime : now;
    const { reason } = finding;
    const message = bounded(finding.message);
    const { generation: observedGeneration } = config;
    return [{ type, status, observedGeneration, lastTransitionTime: since, reason, message }];
  });
  const injectedPods = count ?? before?.injectedPods;
  const status = {
    ready: ready.isGood,
    message: bounded(ready.message),
    observedGeneration: config.generation,
    lastValidated: now,
    ...(injectedPods !== undefined && { injectedPods }),
    conditions,
  };
  return before !== undefined && isCurrent(before, status) ? before : status;
}

/** A status that was written by this code; undefined for any other. */
export function readStatus(value: unknown): ConfigStatus | undefined {
  const { ready, message, observedGeneration, lastValidated, injectedPods, conditions } =
    Object(value);
  const isOurs =
    typeof ready === "boolean" &&
    typeof message === "string" &&
    typeof observedGeneration === "number" &&
    typeof lastValidated === "string" &&
    Array.isArray(conditions) &&
    conditions.every(isCondition);
  if (!isOurs) return undefined;
  const pods = typeof injectedPods === "number" ? { injectedPods } : {};
  return { ready, message, observedGeneration, lastValidated, ...pods, conditions };
}

const conditionTypes = [
  "Ready",
  "Valid",
  "AddressAllowed",
  "CertificatesValid",
  "SelectorUnique",
] as const satisfies readonly Condition["type"][];

/** Overlapping selectors concern single pods, and admission reports them to these. */
function readyOf(findings: Findings): Finding {
  const { Valid, AddressAllowed, CertificatesValid } = findings;
  const wrong = [Valid, AddressAllowed, CertificatesValid].find(
    (finding) => finding?.isGood === false,
  );
  return wrong ?? { isGood: true, reason: "Usable", message: "pods can use it" };
}

function isCurrent(before: ConfigStatus, status: ConfigStatus): boolean {
  const { lastValidated: was, ...old } = before;
  const { lastValidated: is, ...current } = status;
  return Date.parse(is) - Date.parse(was) < HOUR_MS && Bun.deepEquals(old, current);
}

function isCondition(value: unknown): value is Condition {
  const { type, status, reason, message, lastTransitionTime, observedGeneration } = Object(value);
  const texts = [type, status, reason, message, lastTransitionTime];
  return texts.every((text) => typeof text === "string") && typeof observedGeneration === "number";
}

function bounded(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1).toWellFormed()}…` : text;
}
