import { HINT_HEADER } from "@svc/protocol";
import { type HttpAnswer, jsonAnswer, refusalAnswer } from "../http/http-answer.ts";
import type { RequestHead } from "../http/http-service.ts";

/** Takes the value of HINT_HEADER, and says how it was taken. */
export type TakeHint = (value: string) => TakenHint;

/** How a hint was taken. */
export type TakenHint =
  | { readonly kind: "taken" }
  /** Nothing was subscribed to, or the MAC or the sequence is wrong. */
  | { readonly kind: "unknown" }
  | { readonly kind: "too many"; readonly retryAfterMs: number };

/** The answer to POST of HINT_PATH. The request has no body, and the answer names no secret. */
export function hintAnswer({ headers }: RequestHead, take: TakeHint | undefined): HttpAnswer {
  const taken = take?.(headers.get(HINT_HEADER) ?? "") ?? { kind: "unknown" };
  switch (taken.kind) {
    case "taken":
      return jsonAnswer(200, { hint: "taken" });
    case "unknown":
      return refusalAnswer(403, "UNKNOWN_HINT", "no subscription has this hint");
    case "too many": {
      const seconds = Math.ceil(taken.retryAfterMs / 1000);
      const answer = refusalAnswer(429, "TOO_MANY_HINTS", `try again in ${seconds} s`);
      return { ...answer, headers: { "retry-after": String(seconds) } };
    }
  }
}
