import { errorAnswer } from "../http/http-answer.ts";
import type { OpenHttpServer } from "../http/http-server.ts";
import type { HttpService } from "../http/http-service.ts";
import { openServer } from "../http/open-server.ts";
import type { Logger } from "../log.ts";
import type { HealthSettings } from "../settings.ts";
import { answerHealth, type HealthView } from "./health-answers.ts";

/** A running health server. */
export interface HealthServer {
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
  view: HealthView,
  log: Logger,
  openHttpServer: OpenHttpServer,
): HealthServer {
  const service = healthService(view);
  const { address, port, stop } = openServer({ settings, service, log, openHttpServer });
  log.info("health server listens", { address, port });
  return { stop };
}

function healthService(view: HealthView): HttpService {
  return {
    answerHead: (head) => answerHealth(head, view) ?? alreadyUnsealed(),
    answerBody: async () => alreadyUnsealed(),
  };
}

/** The answer to POST /v1/unseal if there is a token. Nothing of the request's body is read. */
export function alreadyUnsealed() {
  return errorAnswer(409, {
    code: "ALREADY_UNSEALED",
    message: "the wrapper has a token that works",
    hint: "nothing to do; GET /readyz says how it is",
  });
}
