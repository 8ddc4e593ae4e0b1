import { type HintNews, hintNews } from "@svc/protocol";
import { type ImageErrorCode, imageErrorCatalogue } from "../image/error-catalogue.ts";
import type { AdmissionRefusalCode } from "./admission-refusals.ts";
import { admissionRefusals } from "./admission-refusals.ts";
import type { AdmissionOutcome } from "./decision-record.ts";
import {
  type HintOutcome,
  hintOutcomes,
  type LookOutcome,
  type LookWay,
  lookOutcomes,
  lookWays,
  type SubscriptionOutcome,
  subscriptionOutcomes,
} from "./hint-outcomes.ts";
import { histogram } from "./histogram.ts";
import { METRIC_PREFIX, operatorMetricTable } from "./metric-table.ts";
import { type PermitOutcome, permitOutcomes } from "./permit-outcome.ts";

/** How the look-up of an image ended. */
export type ImageLookupResult = "found" | "unreadable" | "unanswered" | "broken";

/** The process's own facts at the time of a request; an undefined fact has no line. */
export interface OperatorFacts {
  readonly version: string;
  readonly isLeader: boolean;
  readonly configs: number;
  readonly isSynced: boolean;
  readonly heardSeconds: number | undefined;
  /** Seconds since the epoch. */
  readonly certificateExpiry: number | undefined;
  readonly certificateRotations: number;
  readonly certificateFaults: number;
  readonly logDropped: number;
  /** Undefined if version hints are off. */
  readonly hints: HintFacts | undefined;
}

/** The facts about version hints. */
export interface HintFacts {
  readonly subscribers: number;
  readonly paths: number;
  /** Since the vault last said a version. */
  readonly lookedSeconds: number | undefined;
}

/** Counts the operator's actions since its start. */
export interface OperatorMetrics {
  readonly admitted: (outcome: AdmissionOutcome, ms: number) => void;
  /** A request that was not a question, or came when there was no place. */
  readonly refused: (code: AdmissionRefusalCode) => void;
  readonly imageLookedUp: (result: ImageLookupResult) => void;
  /** A look-up of all images of a pod took this long. */
  readonly imagesTook: (ms: number) => void;
  readonly imageFailed: (code: ImageErrorCode) => void;
  readonly permitAnswered: (outcome: PermitOutcome) => void;
  readonly hintSubscriptionAnswered: (outcome: SubscriptionOutcome) => void;
  readonly hinted: (news: HintNews, outcome: HintOutcome) => void;
  /** A request to the vault for versions. */
  readonly looked: (way: LookWay, outcome: LookOutcome) => void;
  /** Prometheus text, format 0.0.4. */
  readonly render: (inFlight: number) => string;
}

const OUTCOMES: readonly AdmissionOutcome[] = ["injected", "skipped", "denied", "failed"];
const RESULTS: readonly ImageLookupResult[] = ["found", "unreadable", "unanswered", "broken"];

/**
 * Makes counters that are zero, all of them: so a rate of an event that never happened is 0 and not
 * missing.
 *
 * @param facts asked at each scrape; without, there are counters only
 */
export function operatorMetrics(facts?: () => OperatorFacts): OperatorMetrics {
  const outcomes = counter("admissions", "outcome", OUTCOMES);
  const refusals = counter("refusals", "code", Object.keys(admissionRefusals));
  const images = counter("lookups", "result", RESULTS);
  const imageErrors = counter("lookupErrors", "code", Object.keys(imageErrorCatalogue));
  const permits = counter("permits", "decision", permitOutcomes);
  const subscriptions = counter("hintSubscriptions", "decision", subscriptionOutcomes);
  const hints = pairCounter("hints", ["news", hintNews], ["outcome", hintOutcomes]);
  const looks = pairCounter("looks", ["way", lookWays], ["outcome", lookOutcomes]);
  const admissions = histogram();
  const lookups = histogram();
  return {
    admitted: (outcome, ms) => {
      outcomes.add(outcome);
      admissions.observe(ms);
    },
    refused: refusals.add,
    imageLookedUp: images.add,
    imagesTook: lookups.observe,
    imageFailed: imageErrors.add,
    permitAnswered: permits.add,
    hintSubscriptionAnswered: subscriptions.add,
    hinted: hints.add,
    looked: looks.add,
    render: (inFlight) =>
      [
        outcomes.render(),
        head("admissionTime"),
        admissions.render(nameOf("admissionTime")),
        refusals.render(),
        gauge("inFlight", inFlight),
        images.render(),
        head("lookupTime"),
        lookups.render(nameOf("lookupTime")),
        imageErrors.render(),
        permits.render(),
        subscriptions.render(),
        hints.render(),
        looks.render(),
        ...(facts === undefined ? [] : renderFacts(facts())),
      ].join(""),
  };
}

type MetricKey = keyof typeof operatorMetricTable;

function nameOf(key: MetricKey): string {
  return METRIC_PREFIX + operatorMetricTable[key].name;
}

function head(key: MetricKey): string {
  const { type, meaning } = operatorMetricTable[key];
  return `# HELP ${nameOf(key)} ${meaning.replaceAll("`", "")}\n# TYPE ${nameOf(key)} ${type}\n`;
}

function gauge(key: MetricKey, value: number | boolean | undefined): string {
  return value === undefined ? "" : `${head(key)}${nameOf(key)} ${Number(value)}\n`;
}

function renderFacts(facts: OperatorFacts): readonly string[] {
  return [
    `${head("build")}${nameOf("build")}{version="${facts.version}"} 1\n`,
    gauge("hintSubscribers", facts.hints?.subscribers ?? 0),
    gauge("hintPaths", facts.hints?.paths ?? 0),
    // There is a look once a wrapper has subscribed.
    gauge("hintsLooked", facts.hints?.lookedSeconds) || head("hintsLooked"),
    gauge("leader", facts.isLeader),
    gauge("configs", facts.configs),
    gauge("configsSynced", facts.isSynced),
    gauge("configsHeard", facts.heardSeconds),
    gauge("certificateExpiry", facts.certificateExpiry),
    gauge("certificateRotations", facts.certificateRotations),
    gauge("certificateFaults", facts.certificateFaults),
    gauge("logDropped", facts.logDropped),
  ];
}

/** Labels come from closed lists: nothing that a request says becomes one. */
function counter(key: MetricKey, label: string, values: readonly string[]) {
  const counts = new Map(values.map((value) => [value, 0]));
  return {
    add: (value: string): void => {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    },
    render: (): string =>
      head(key) +
      [...counts]
        .map(([value, count]) => `${nameOf(key)}{${label}="${value}"} ${count}\n`)
        .join(""),
  };
}

/** Likewise with two labels. */
function pairCounter(key: MetricKey, [first, firsts]: Label, [second, seconds]: Label) {
  const labelsOf = (one: string, other: string) => `{${first}="${one}",${second}="${other}"}`;
  const all = firsts.flatMap((one) => seconds.map((other) => labelsOf(one, other)));
  const counts = new Map(all.map((labels): [string, number] => [labels, 0]));
  return {
    add: (one: string, other: string): void => {
      const labels = labelsOf(one, other);
      counts.set(labels, (counts.get(labels) ?? 0) + 1);
    },
    render: (): string =>
      head(key) +
      [...counts].map(([labels, count]) => `${nameOf(key)}${labels} ${count}\n`).join(""),
  };
}

type Label = readonly [name: string, values: readonly string[]];
