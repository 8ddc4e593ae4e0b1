import { HINT_PATH } from "@svc/protocol";
import { errorAnswer, type HttpAnswer, jsonAnswer } from "../http/http-answer.ts";
import type { RequestHead } from "../http/http-service.ts";
import { CHECK_PATH, type CheckView, checkAnswer } from "./check-page.ts";
import type { CheckState } from "./check-state.ts";
import { hintAnswer, type TakeHint } from "./hint-page.ts";
import { type Readiness, readinessAnswer } from "./readiness.ts";

/** The source of the answers to probes, asked again for every request. */
export interface HealthView {
  readonly readiness: () => Readiness;
  /** Prometheus text, as renderMetrics makes it. */
  readonly metrics: () => string;
  /**
   * Why the program takes no requests; undefined if that is for the program itself to say. Absent if
   * no program runs beside the server.
   */
  readonly unserving?: () => Readiness | undefined;
  /** Absent while sealed: nothing can be checked. */
  readonly check?: CheckView;
  /** Absent if the operator is not asked for hints. */
  readonly takeHint?: TakeHint | undefined;
}

/** The answers to probes, and how long they hold. */
export interface StatusView extends HealthView {
  /** In how many milliseconds time alone changes readiness; undefined if it does not. */
  readonly readinessLastsMs: () => number | undefined;
  readonly check: CheckView;
  /** Asks the program itself whether it is ready. */
  readonly askProgram: () => Promise<Readiness>;
}

/** Where a token is brought in sealed mode. */
export const UNSEAL_PATH = "/v1/unseal";

/** Whether the program takes requests: for readiness probes. */
export const PROGRAM_PATH = "/readyz/program";

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const pages: Readonly<Record<string, (view: HealthView) => HttpAnswer>> = {
  "/healthz": () => jsonAnswer(200, { status: "ok" }),
  "/readyz": ({ readiness }) => readinessAnswer(readiness()),
  "/metrics": ({ metrics }) => ({ status: 200, contentType: METRICS_TYPE, body: metrics() }),
};

/**
 * Pure except for the view: the answer to everything but two requests, which give undefined. One is
 * a POST to UNSEAL_PATH, the other asks for PROGRAM_PATH while the program itself has to say it.
 */
export function answerHealth(head: RequestHead, view: HealthView): HttpAnswer | undefined {
  const { method, path } = head;
  if (path === UNSEAL_PATH) return method === "POST" ? undefined : onlyMethods("POST");
  if (path === PROGRAM_PATH && isRead(method)) {
    const { unserving = view.readiness } = view;
    const readiness = unserving();
    return readiness && readinessAnswer(readiness);
  }
  if (path === CHECK_PATH) return answerCheck(method, view);
  if (path === HINT_PATH) {
    return method === "POST" ? hintAnswer(head, view.takeHint) : onlyMethods("POST");
  }
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (path === PROGRAM_PATH) return onlyMethods("GET, HEAD");
  if (page === undefined) return unknownPath(path);
  return isRead(method) ? page(view) : onlyMethods("GET, HEAD");
}

function answerCheck(method: string, { check, readiness }: HealthView): HttpAnswer {
  if (!isRead(method) && method !== "POST") return onlyMethods("GET, HEAD, POST");
  if (check !== undefined) return checkAnswer(method, check);
  const now = readiness();
  const reason = "reason" in now ? now.reason : "the wrapper is sealed";
  return jsonAnswer(200, { state: "waiting", reason } satisfies CheckState);
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function unknownPath(path: string): HttpAnswer {
  return errorAnswer(404, {
    code: "NOT_FOUND",
    message: `no such path: ${path.slice(0, 80)}`,
    hint: "there are /healthz, /readyz, /readyz/program, /metrics, /v1/check, /v1/hints and /v1/unseal",
  });
}

function onlyMethods(methods: string): HttpAnswer {
  const error = {
    code: "METHOD_NOT_ALLOWED",
    message: `only ${methods.replace(/, (?=[A-Z]+$)/, " and ")} ${methods === "POST" ? "is" : "are"} answered`,
    hint: "see docs/reference/health.md",
  };
  return errorAnswer(405, error, { allow: methods });
}
