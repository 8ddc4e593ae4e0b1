import { KubernetesError } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import { withinTime } from "../admission/within-time.ts";
import { unrepeatedLog } from "../unrepeated-log.ts";
import type { PodIdentifier, ProvenPod } from "./identify-pod.ts";

/** A question of wrappers: each has the token of its pod. */
export interface WrapperEndpointParts<Question extends { readonly token: string }, Answer> {
  readonly path: string;
  readonly mostBytes: number;
  /** A text names the fault of a body, and quotes nothing of it. */
  readonly parse: (body: Uint8Array) => Question | string;
  readonly identify: PodIdentifier;
  readonly answer: (pod: ProvenPod, question: Omit<Question, "token">) => Promise<Answer>;
  /** Counts an answer; undefined for a question that was refused. */
  readonly count: (answer: Answer | undefined) => void;
  /** The wrapper's action, for the log: `asks for a permit`. */
  readonly doing: string;
  readonly log: Log;
  /** Questions that are answered at one time; others are told to come again. */
  readonly mostAtOnce?: number;
}

const MOST_AT_ONCE = 128;
const BODY_MS = 3000;

/** Answers questions of wrappers, whose pods it proves first. */
export function wrapperEndpoint<Question extends { readonly token: string }, Answer extends object>(
  parts: WrapperEndpointParts<Question, Answer>,
): (request: Request) => Promise<Response> {
  const { count, doing, mostAtOnce = MOST_AT_ONCE } = parts;
  const trouble = unrepeatedLog(parts.log);
  let under = 0;
  return async (request) => {
    if (under >= mostAtOnce) {
      count(undefined);
      return busy();
    }
    under += 1;
    try {
      const answer = await answered(parts, request);
      count(answer instanceof Response ? undefined : answer);
      trouble.over();
      return answer instanceof Response ? answer : Response.json(answer);
    } catch (error) {
      count(undefined);
      // Its text names objects and no values.
      const why =
        error instanceof KubernetesError ? error.message : "something unexpected happened";
      trouble.say("warn", `answer a wrapper that ${doing}: ${why}`);
      return refusal(503, "UNAVAILABLE", "the API server cannot be asked", { "Retry-After": "5" });
    } finally {
      under -= 1;
    }
  };
}

async function answered<Question extends { readonly token: string }, Answer extends object>(
  { path, mostBytes, parse, identify, answer }: WrapperEndpointParts<Question, Answer>,
  request: Request,
): Promise<Answer | Response> {
  if (new URL(request.url).pathname !== path) {
    return refusal(404, "NOT_FOUND", `there is ${path} and no other path`);
  }
  if (request.method !== "POST") {
    return refusal(405, "METHOD_NOT_ALLOWED", "only POST is answered", { Allow: "POST" });
  }
  const read = await withinTime(performance.now() + BODY_MS, () => request.bytes());
  if (read.kind !== "answer") return refusal(408, "BODY_TOO_SLOW", "the body did not come in time");
  const body = read.value;
  if (body.length > mostBytes) {
    return refusal(413, "BODY_TOO_LARGE", `a question has ${mostBytes} bytes at most`);
  }
  const asked = parse(body);
  if (typeof asked === "string") return refusal(400, "NOT_A_QUESTION", asked);
  const { token, ...question } = asked;
  const pod = await identify(token);
  if (pod === undefined) return busy();
  return typeof pod === "string" ? refusal(403, "UNPROVEN", pod) : answer(pod, question);
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
