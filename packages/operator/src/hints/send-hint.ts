import { HINT_HEADER, HINT_PATH } from "@svc/protocol";
import type { HintAnswer } from "./hint-answer.ts";
import type { Subscription } from "./subscription.ts";

/** Says a hint, which is the text of the header. Never rejects. */
export type SendHint = (
  to: Pick<Subscription, "address" | "port" | "tls">,
  header: string,
) => Promise<HintAnswer>;

const TIMEOUT_MS = 2000;
/** A wrapper that asks for more has no use of hints in between. */
const MOST_RETRY_SECONDS = 60;

/**
 * Sends hints to the wrappers' health ports. The certificate of a port is not verified: the hint
 * is signed for a single key, and has nothing in it that others may not know.
 */
export function hintSender(ended: AbortSignal): SendHint {
  return async ({ address, port, tls }, header) => {
    const host = address.includes(":") ? `[${address}]` : address;
    const url = `${tls ? "https" : "http"}://${host}:${port}${HINT_PATH}`;
    const signal = AbortSignal.any([ended, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await fetch(url, optionsOf(header, { tls, signal }));
      await response.body?.cancel();
      return answerOf(response);
    } catch (error) {
      return { outcome: isRefused(error) ? "over" : "failed" };
    }
  };
}

function optionsOf(
  header: string,
  { tls, signal }: { readonly tls: boolean; readonly signal: AbortSignal },
): BunFetchRequestInit {
  const options: BunFetchRequestInit & { readonly proxy: false } = {
    method: "POST",
    headers: { [HINT_HEADER]: header, "Accept-Encoding": "identity" },
    redirect: "manual",
    decompress: false,
    keepalive: false,
    // Without it, variables of the environment would choose the way.
    proxy: false,
    signal,
    ...(tls && { tls: { rejectUnauthorized: false } }),
  };
  return options;
}

function answerOf({ status, headers }: Response): HintAnswer {
  if (status >= 200 && status <= 299) return { outcome: "taken" };
  if (status === 429) {
    const seconds = Number(headers.get("retry-after") ?? Number.NaN);
    const isUsable = seconds >= 1 && seconds <= MOST_RETRY_SECONDS;
    return { outcome: "later", retryAfterMs: isUsable ? seconds * 1000 : undefined };
  }
  return { outcome: status >= 500 || status === 408 ? "failed" : "over" };
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}
