import type { AdmissionLimits } from "./admission-limits.ts";
import { type AdmissionPlaces, admissionPlaces } from "./admission-places.ts";
import {
  type AdmissionRefusalCode,
  type RefusalDetails,
  refusalResponse,
} from "./admission-refusals.ts";
import type { AdmissionWorld } from "./admission-world.ts";
import { answerReview } from "./answer-review.ts";
import { budgetOf } from "./budget-of.ts";
import { countedWorld } from "./counted-world.ts";
import type { DecisionRecord } from "./decision-record.ts";
import type { OperatorMetrics } from "./operator-metrics.ts";
import { parseReview } from "./parse-review.ts";
import { withinTime } from "./within-time.ts";

/** What answers requests, whatever they come in by. */
export interface AdmissionDoor {
  readonly answer: (request: Request) => Promise<Response>;
  /** For what was thrown elsewhere. */
  readonly unexpected: () => Response;
  readonly isStopping: () => boolean;
  readonly beginStopping: () => void;
}

/** What the door works with. */
export interface AdmissionDoorOptions {
  readonly world: AdmissionWorld;
  readonly metrics: OperatorMetrics;
  readonly log: (record: DecisionRecord) => void;
  readonly notReady: () => string | undefined;
  readonly limits: AdmissionLimits;
}

/** Where the API server sends its questions. */
export const ADMISSION_PATH = "/mutate-v1-pod";

/** Makes a door. */
export function admissionDoor(options: AdmissionDoorOptions): AdmissionDoor {
  const { metrics, notReady } = options;
  const world = countedWorld(options.world, metrics);
  const places = admissionPlaces(options.limits);
  let stopping = false;
  const refuse = (code: AdmissionRefusalCode, details?: RefusalDetails): Response => {
    metrics.refused(code);
    return refusalResponse(code, details);
  };
  const pages: Readonly<Record<string, () => Response>> = {
    "/healthz": () => Response.json({ status: "ok" }),
    "/readyz": () =>
      readiness(stopping ? "stopping" : "starting", stopping ? "it ends" : notReady()),
    "/metrics": () =>
      new Response(metrics.render(places.taken()), {
        headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" },
      }),
  };
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const page = Object.hasOwn(pages, url.pathname) ? pages[url.pathname] : undefined;
    if (url.pathname !== ADMISSION_PATH && page === undefined) return refuse("NOT_FOUND");
    const method = page === undefined ? "POST" : "GET";
    if (request.method !== method) {
      return refuse("METHOD_NOT_ALLOWED", { headers: { Allow: method } });
    }
    if (page !== undefined) return page();
    const endMs = performance.now() + budgetOf(url, options.limits.budgetMs);
    return admit({ request, endMs, refuse, places, ...options, world });
  };
  return {
    answer,
    unexpected: () => refuse("INTERNAL"),
    isStopping: () => stopping,
    beginStopping: () => {
      stopping = true;
    },
  };
}

interface Admission extends AdmissionDoorOptions {
  readonly request: Request;
  /** The moment of `performance.now()` by which the API server wants an answer. */
  readonly endMs: number;
  readonly refuse: (code: AdmissionRefusalCode, details?: RefusalDetails) => Response;
  readonly places: AdmissionPlaces;
}

/** Takes a place when the question is there: those who never send theirs would keep everybody else out. */
async function admit(admission: Admission): Promise<Response> {
  const { request, endMs, refuse, limits, places } = admission;
  const beganMs = performance.now();
  if (!isJson(request)) return refuse("UNSUPPORTED_MEDIA_TYPE");
  if (Number(request.headers.get("content-length")) > limits.bodyBytes) {
    return refuse("BODY_TOO_LARGE", { headers: { Connection: "close" } });
  }
  const body = await withinTime(endMs, () => request.bytes());
  // What was not read cannot be followed by another request.
  if (body.kind !== "answer") return refuse("BODY_TOO_SLOW", { headers: { Connection: "close" } });
  if (!(await places.enter())) return refuse("BUSY");
  try {
    return await answerBody(body.value, beganMs, admission);
  } finally {
    places.giveBack();
  }
}

async function answerBody(
  body: Uint8Array,
  beganMs: number,
  { endMs, refuse, world, metrics, log }: Admission,
): Promise<Response> {
  const parsed = parseReview(body);
  if (!parsed.ok) return refuse("NOT_A_REVIEW", { found: parsed.problems.join("; ") });
  const { review, record } = await answerReview(parsed.request, world, endMs);
  if (record !== undefined) {
    metrics.admitted(record.outcome, performance.now() - beganMs);
    log(record);
  }
  return Response.json(review);
}

function isJson({ headers }: Request): boolean {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase() === "application/json";
}

function readiness(status: string, reason: string | undefined): Response {
  return reason === undefined
    ? Response.json({ status: "ready" })
    : Response.json({ status, reason }, { status: 503 });
}
