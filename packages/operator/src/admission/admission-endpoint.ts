import type { AdmissionContext } from "./admission-context.ts";
import type { AdmissionLimits } from "./admission-limits.ts";
import { admissionPlaces } from "./admission-places.ts";
import {
  type AdmissionRefusalCode,
  type RefusalDetails,
  refusalResponse,
} from "./admission-refusals.ts";
import { answerReview } from "./answer-review.ts";
import { bodyRoom } from "./body-room.ts";
import { budgetOf } from "./budget-of.ts";
import { countedContext } from "./counted-context.ts";
import type { DecisionRecord } from "./decision-record.ts";
import type { OperatorMetrics } from "./operator-metrics.ts";
import { parseReview } from "./parse-review.ts";
import { withinTime } from "./within-time.ts";

/** Answers requests from any kind of server. */
export interface AdmissionEndpoint {
  readonly answer: (request: Request) => Promise<Response>;
  /** For errors from other code. */
  readonly unexpected: () => Response;
  readonly isStopping: () => boolean;
  readonly beginStopping: () => void;
}

/** The inputs of the endpoint. */
export interface AdmissionEndpointOptions {
  readonly context: AdmissionContext;
  readonly metrics: OperatorMetrics;
  readonly log: (record: DecisionRecord) => void;
  readonly notReady: () => string | undefined;
  readonly refused?: () => string | undefined;
  readonly limits: AdmissionLimits;
}

/** Where the API server sends its questions. */
export const ADMISSION_PATH = "/mutate-v1-pod";

/** Makes an endpoint. */
export function admissionEndpoint(options: AdmissionEndpointOptions): AdmissionEndpoint {
  const { metrics } = options;
  const places = admissionPlaces(options.limits);
  let stopping = false;
  const refuse: Refuse = (code, details) => {
    metrics.refused(code);
    return refusalResponse(code, details);
  };
  const pages = pagesOf(options, { places, isStopping: () => stopping });
  const judge = reviewJudge(options, { places, refuse });
  return {
    answer: async (request) => {
      const url = new URL(request.url);
      const page = Object.hasOwn(pages, url.pathname) ? pages[url.pathname] : undefined;
      if (url.pathname !== ADMISSION_PATH && page === undefined) return refuse("NOT_FOUND");
      const method = page === undefined ? "POST" : "GET";
      if (request.method !== method) {
        return refuse("METHOD_NOT_ALLOWED", { headers: { Allow: method } });
      }
      return page === undefined ? judge(request, url) : page();
    },
    unexpected: () => refuse("INTERNAL"),
    isStopping: () => stopping,
    beginStopping: () => {
      stopping = true;
    },
  };
}

type Places = ReturnType<typeof admissionPlaces>;
type Refuse = (code: AdmissionRefusalCode, details?: RefusalDetails) => Response;

interface PageParts {
  readonly places: Places;
  readonly isStopping: () => boolean;
}

/** The pages for probes and for Prometheus, by path. */
function pagesOf(
  { metrics, notReady, refused }: AdmissionEndpointOptions,
  { places, isStopping }: PageParts,
): Readonly<Record<string, () => Response>> {
  return {
    "/healthz": () => Response.json({ status: "ok" }),
    "/readyz": () => {
      if (isStopping()) return readiness("stopping", "it ends");
      const reason = notReady();
      return reason === undefined
        ? readiness("refused", refused?.())
        : readiness("starting", reason);
    },
    "/metrics": () =>
      new Response(metrics.render(places.taken()), {
        headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" },
      }),
  };
}

interface JudgeParts {
  readonly places: Places;
  readonly refuse: Refuse;
}

/** Answers reviews, as many at a time as the limits allow. */
function reviewJudge(options: AdmissionEndpointOptions, { places, refuse }: JudgeParts) {
  const context = countedContext(options.context, options.metrics);
  const room = bodyRoom(options.limits.allBodiesBytes);
  const judgeBody = async (request: Request, url: URL): Promise<Response> => {
    const endMs = performance.now() + budgetOf(url, options.limits.budgetMs);
    // Before it takes a place, because a client that announces a body and sends none would block
    // others.
    const read = await readBody(request, endMs, options.limits);
    if (typeof read === "string") return refuse(read, refusalDetails[read]);
    if (!(await places.enter())) return refuse("BUSY");
    try {
      return await admit({ body: read, endMs, refuse, ...options, context });
    } finally {
      places.giveBack();
    }
  };
  return async (request: Request, url: URL): Promise<Response> => {
    const bytes = announcedBytes(request, options.limits);
    if (!room.take(bytes)) return refuse("BUSY", closing);
    try {
      return await judgeBody(request, url);
    } finally {
      room.giveBack(bytes);
    }
  };
}

type UnreadBody = "UNSUPPORTED_MEDIA_TYPE" | "BODY_TOO_LARGE" | "BODY_TOO_SLOW";

/** After an unread body the connection cannot carry another request. */
const closing: RefusalDetails = { headers: { Connection: "close" } };
const refusalDetails: Readonly<Record<UnreadBody, RefusalDetails>> = {
  UNSUPPORTED_MEDIA_TYPE: {},
  BODY_TOO_LARGE: closing,
  BODY_TOO_SLOW: closing,
};

/**
 * The announced length of a body. A body without one counts as the longest. A longer one is refused
 * anyway.
 */
function announcedBytes({ headers }: Request, { bodyBytes }: AdmissionLimits): number {
  const announced = Number(headers.get("content-length") ?? bodyBytes);
  return announced > bodyBytes ? 0 : announced;
}

async function readBody(
  request: Request,
  endMs: number,
  { bodyBytes, bodyMs }: AdmissionLimits,
): Promise<Uint8Array | UnreadBody> {
  if (!isJson(request)) return "UNSUPPORTED_MEDIA_TYPE";
  if (Number(request.headers.get("content-length")) > bodyBytes) return "BODY_TOO_LARGE";
  const untilMs = Math.min(endMs, performance.now() + bodyMs);
  const body = await withinTime(untilMs, () => request.bytes());
  return body.kind === "answer" ? body.value : "BODY_TOO_SLOW";
}

interface Admission extends AdmissionEndpointOptions {
  readonly body: Uint8Array;
  /** The moment of `performance.now()` by which the API server wants an answer. */
  readonly endMs: number;
  readonly refuse: Refuse;
}

async function admit({ body, endMs, refuse, ...options }: Admission): Promise<Response> {
  const { context, metrics, log } = options;
  const beganMs = performance.now();
  const parsed = parseReview(body);
  if (!parsed.ok) return refuse("NOT_A_REVIEW", { found: parsed.problems.join("; ") });
  const { review, record } = await answerReview(parsed.request, context, endMs);
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
