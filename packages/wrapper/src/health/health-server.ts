import { errorAnswer, type HttpAnswer } from "../http/http-answer.ts";
import type { OpenHttpServer } from "../http/http-server.ts";
import type { HttpService } from "../http/http-service.ts";
import { openServer } from "../http/open-server.ts";
import type { Logger } from "../log.ts";
import type { HealthSettings } from "../settings.ts";
import { shared } from "./ask-program.ts";
import { answerHealth, PROGRAM_PATH, type StatusView } from "./health-answers.ts";
import { readinessAnswer } from "./readiness.ts";

/** A crowd of scrapers costs no more than one of them in this time. */
const LONGEST_HOLD_MS = 250;
const ALWAYS_MS = 3_600_000;

/** A running health server. */
export interface HealthServer {
  /** The port at which it listens. */
  readonly port: number;
  /** Something has happened that answers may depend on. */
  forget(): void;
  /** Frees the port at once. */
  stop(): void;
}

/**
 * Answers probes and metrics while the wrapper is not sealed.
 *
 * @throws as openServer, if it cannot listen now.
 */
export function startHealthServer(
  settings: HealthSettings,
  view: StatusView,
  log: Logger,
  openHttpServer: OpenHttpServer,
): HealthServer {
  const service = healthService(view);
  const server = openServer({ settings, service, log, openHttpServer });
  const { address, port, forget, stop } = server;
  log.info("health server listens", { address, port });
  return { port, forget, stop };
}

function healthService(view: StatusView): HttpService {
  const askProgram = shared(view.askProgram, LONGEST_HOLD_MS);
  return {
    answerHead: (head) => {
      const answer = answerHealth(head, view);
      if (answer !== undefined) return { ...answer, ...holdOf(head.path, view) };
      return head.path === PROGRAM_PATH ? undefined : alreadyUnsealed();
    },
    answerBody: async () => readinessAnswer(await askProgram()),
  };
}

/** How long the answer to a path holds if no event comes. */
function holdOf(path: string, { readinessLastsMs }: StatusView): Pick<HttpAnswer, "holdsMs"> {
  switch (path) {
    case "/healthz":
      return { holdsMs: ALWAYS_MS };
    case "/readyz":
      return {
        holdsMs: Math.min(LONGEST_HOLD_MS, Math.max(0, readinessLastsMs() ?? LONGEST_HOLD_MS)),
      };
    case "/metrics":
      return { holdsMs: LONGEST_HOLD_MS };
    default:
      return {};
  }
}

/** The answer to POST /v1/unseal if there is a token. Nothing of the request's body is read. */
export function alreadyUnsealed() {
  return errorAnswer(409, {
    code: "ALREADY_UNSEALED",
    message: "the wrapper has a token that works",
    hint: "nothing to do; GET /readyz says how it is",
  });
}
