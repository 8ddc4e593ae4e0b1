import { problem } from "@svc/settings";
import { readAsked } from "../inject/decide-injection.ts";
import type { Injection } from "../inject/injection.ts";
import { refusal } from "../inject/refusal.ts";
import { parsePod } from "../pod/parse-pod.ts";
import type { Pod } from "../pod/pod.ts";
import type { AdmissionContext } from "./admission-context.ts";
import type { AdmissionRequest } from "./admission-request.ts";
import { type AdmissionReview, reviewOf } from "./admission-review.ts";
import { type DecisionRecord, recordOf } from "./decision-record.ts";
import { type Judgement, judgePod } from "./judge-pod.ts";

/** The answer to the API server and its log record; no record if no pod was judged. */
export interface AnsweredReview {
  readonly review: AdmissionReview;
  readonly record: DecisionRecord | undefined;
}

/**
 * Answers a question of the API server, at the latest at `endMs` of `performance.now()`. Anything
 * but a pod is allowed as it is. It does not throw: after an unexpected error, the setting for
 * impossible injections decides.
 */
export async function answerReview(
  request: AdmissionRequest,
  context: AdmissionContext,
  endMs: number,
): Promise<AnsweredReview> {
  if (!isPod(request))
    return { review: reviewOf(request, { injection: NOT_A_POD }), record: undefined };
  const startMs = performance.now();
  const judgement = await judge(request, context, endMs);
  const tookMs = performance.now() - startMs;
  return { review: reviewOf(request, judgement), record: recordOf(request, judgement, tookMs) };
}

const NOT_A_POD: Injection = { kind: "skip", reason: "it is not a pod", warnings: [] };

/** Subresources, as a pod's status or its ephemeral containers, are not pods that start. */
function isPod({ kind, subResource }: AdmissionRequest): boolean {
  return kind.group === "" && kind.version === "v1" && kind.kind === "Pod" && subResource === "";
}

async function judge(
  request: AdmissionRequest,
  context: AdmissionContext,
  endMs: number,
): Promise<Judgement> {
  const { operation, namespace, object } = request;
  if (operation !== "CREATE") return { injection: NOT_CREATED };
  const parsed = parsePod(object);
  if (!parsed.ok) return { injection: unreadable(request, parsed.problems, context) };
  try {
    return await judgePod({ pod: parsed.pod, operation, namespace, endMs }, context);
  } catch (error) {
    const found = `unexpected ${error instanceof Error ? error.name : typeof error}`;
    const parts = {
      variable: "pod",
      wanted: "one that the operator can judge",
      found,
      hint: REPORT,
    };
    return { injection: refusal(parsed.pod, [problem(parts)], context.operator), fault: "broken" };
  }
}

const NOT_CREATED: Injection = {
  kind: "skip",
  reason: "the operator injects only at creation",
  warnings: [],
};

const REPORT = "please report it with the operator's log";

/** A pod that asks for nothing is not refused for a field that is newer than the operator. */
function unreadable(
  { operation, object }: AdmissionRequest,
  problems: readonly string[],
  { operator }: AdmissionContext,
): Injection {
  const metadata: unknown = Object(object)["metadata"];
  const asking = parsePod({ metadata, spec: { containers: [] } });
  if (asking.ok) {
    const read = readAsked({ pod: asking.pod, operation }, operator);
    if (read.kind === "skip") return read;
  }
  const pod: Pod = asking.ok ? asking.pod : { metadata: {}, spec: { containers: [] } };
  const wanted = "readable";
  return refusal(
    pod,
    problems.map((found) => problem({ variable: "pod", wanted, found })),
    operator,
  );
}
