import { type ImageErrorCode, imageErrorCatalogue } from "../image/error-catalogue.ts";
import type { AdmissionRefusalCode } from "./admission-refusals.ts";
import { admissionRefusals } from "./admission-refusals.ts";
import type { AdmissionOutcome } from "./decision-record.ts";
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
