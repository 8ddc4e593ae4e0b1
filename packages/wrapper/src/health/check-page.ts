import { type HttpAnswer, jsonAnswer, refusalAnswer } from "../http/http-answer.ts";
import type { CheckRefusal, ShownCheck } from "./check-state.ts";

/** Asks for a check of the secrets, and says how it goes. */
export const CHECK_PATH = "/v1/check";

/** The wrapper's checks, asked again for every request. */
export interface CheckView {
  readonly checkState: () => ShownCheck;
  /** Begins a check, if it may be asked for now. */
  readonly askForCheck: () => CheckRefusal;
}

/**
 * The answer to GET, HEAD and POST of CHECK_PATH. A wrapper that cannot check now, or never does,
 * says so in the state.
 */
export function checkAnswer(method: string, view: CheckView): HttpAnswer {
  const before = view.checkState();
  const isPossible = before.state !== "unchecked" && before.state !== "waiting";
  if (method !== "POST" || !isPossible) return jsonAnswer(200, before);
  const refusal = view.askForCheck();
  if (refusal === undefined) return jsonAnswer(202, view.checkState());
  const seconds = Math.ceil(refusal.retryAfterMs / 1000);
  const message = `too many checks were asked for: ask again in ${seconds} s`;
  const answer = refusalAnswer(429, "TOO_MANY_CHECKS", message);
  return { ...answer, headers: { "retry-after": String(seconds) } };
}
