import type { AdmissionRefusalCode } from "./admission-refusals.ts";
import { admissionRefusals } from "./admission-refusals.ts";
import type { AdmissionOutcome } from "./decision-record.ts";
import { histogram } from "./histogram.ts";

/** How the look-up of an image ended. */
export type ImageLookupResult = "found" | "unreadable" | "unanswered" | "broken";

/** Counts what the operator does since it started. */
export interface OperatorMetrics {
  readonly admitted: (outcome: AdmissionOutcome, ms: number) => void;
  /** A request that was no question, or came when there was no place. */
  readonly refused: (code: AdmissionRefusalCode) => void;
  readonly imageLookedUp: (result: ImageLookupResult) => void;
  /** A look-up of all images of a pod took this long. */
  readonly imagesTook: (ms: number) => void;
  /** Prometheus text, format 0.0.4. */
  readonly render: (inFlight: number) => string;
}

const OUTCOMES: readonly AdmissionOutcome[] = ["injected", "skipped", "denied", "failed"];
const RESULTS: readonly ImageLookupResult[] = ["found", "unreadable", "unanswered", "broken"];

/** Makes counters that are zero, all of them: a rate of what was never seen is 0 and not missing. */
export function operatorMetrics(): OperatorMetrics {
  const outcomes = counter(OUTCOMES);
  const refusals = counter(Object.keys(admissionRefusals));
  const images = counter(RESULTS);
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
    render: (inFlight) =>
      [
        head("admissions_total", "counter", "Pods judged, by what became of them."),
        outcomes.render("admissions_total", "outcome"),
        head("admission_duration_seconds", "histogram", "Time from a question to its answer."),
        admissions.render(`${PREFIX}admission_duration_seconds`),
        head("admission_requests_refused_total", "counter", "Requests that were no question."),
        refusals.render("admission_requests_refused_total", "code"),
        head("admissions_in_flight", "gauge", "Questions that are being answered."),
        `${PREFIX}admissions_in_flight ${inFlight}\n`,
        head("image_lookups_total", "counter", "Images asked for, by how it ended."),
        images.render("image_lookups_total", "result"),
        head("image_lookup_duration_seconds", "histogram", "Time for all images of one pod."),
        lookups.render(`${PREFIX}image_lookup_duration_seconds`),
      ].join(""),
  };
}

const PREFIX = "svc_operator_";

function head(name: string, type: string, meaning: string): string {
  return `# HELP ${PREFIX}${name} ${meaning}\n# TYPE ${PREFIX}${name} ${type}\n`;
}

/** Labels come from closed lists: nothing that a request says becomes one. */
function counter(labels: readonly string[]) {
  const counts = new Map(labels.map((label) => [label, 0]));
  return {
    add: (label: string): void => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
    },
    render: (name: string, key: string): string =>
      [...counts]
        .map(([label, count]) => `${PREFIX}${name}{${key}="${label}"} ${count}\n`)
        .join(""),
  };
}
