import { KubernetesError } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import { PERMIT_PATH, type PermitAnswer } from "@svc/protocol";
import type { PermitOutcome } from "../admission/permit-outcome.ts";
import { withinTime } from "../admission/within-time.ts";
import { unrepeatedLog } from "../unrepeated-log.ts";
import type { PodIdentifier } from "./identify-pod.ts";
import type { PermitDesk } from "./permit-desk.ts";
import { MOST_QUESTION_BYTES, parseQuestion } from "./permit-question.ts";

/** The parts of the endpoint. */
export interface PermitEndpointParts {
  readonly identify: PodIdentifier;
  readonly desk: PermitDesk;
  readonly log: Log;
  /** Counts an answer. */
  readonly count: (answer: PermitOutcome) => void;
  /** Questions that are answered at one time; others are told to come again. */
  readonly mostAtOnce?: number;
}

const MOST_AT_ONCE = 128;
const BODY_MS = 3000;

/** Answers the questions of wrappers. */
export function permitEndpoint(
  parts: PermitEndpointParts,
): (request: Request) => Promise<Response> {
  const { count, mostAtOnce = MOST_AT_ONCE } = parts;
  const trouble = unrepeatedLog(parts.log);
  let under = 0;
  return async (request) => {
    if (under >= mostAtOnce) {
      count("refused");
      return busy();
    }
    under += 1;
    try {
      const answer = await answered(parts, request);
      count(answer instanceof Response ? "refused" : answer.decision);
      trouble.over();
      return answer instanceof Response ? answer : Response.json(answer);
    } catch (error) {
      count("refused");
      // Its text names objects and no values.
      const why =
        error instanceof KubernetesError ? error.message : "something unexpected happened";
      trouble.say("warn", `answer a wrapper that asks for a permit: ${why}`);
      return refusal(503, "UNAVAILABLE", "the API server cannot be asked", { "Retry-After": "5" });
    } finally {
      under -= 1;
    }
  };
}

async function answered(
  { identify, desk }: PermitEndpointParts,
  request: Request,
): Promise<PermitAnswer | Response> {
  if (new URL(request.url).pathname !== PERMIT_PATH) {
    return refusal(404, "NOT_FOUND", `there is ${PERMIT_PATH} and no other path`);
  }
  if (request.method !== "POST") {
    return refusal(405, "METHOD_NOT_ALLOWED", "only POST is answered", { Allow: "POST" });
  }
  const read = await withinTime(performance.now() + BODY_MS, () => request.bytes());
  if (read.kind !== "answer") return refusal(408, "BODY_TOO_SLOW", "the body did not come in time");
  const body = read.value;
  if (body.length > MOST_QUESTION_BYTES) {
    return refusal(413, "BODY_TOO_LARGE", `a question has ${MOST_QUESTION_BYTES} bytes at most`);
  }
  const asked = parseQuestion(body);
  if (typeof asked === "string") return refusal(400, "NOT_A_QUESTION", asked);
  const { token, ...question } = asked;
  const pod = await identify(token);
  if (pod === undefined) return busy();
  return typeof pod === "string" ? refusal(403, "UNPROVEN", pod) : desk(pod, question);
}

function busy(): Response {
  return refusal(503, "BUSY", "too many questions at once", { "Retry-After": "2" });
}

function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ error: { code, message } }, { status, headers });
}
