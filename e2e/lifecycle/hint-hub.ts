import { createHmac } from "node:crypto";
import { HINT_HEADER, type Hint, type HintSubscription, hintText } from "@svc/protocol";
import { certificateAuthority } from "@svc/testing";

/** The operator's side of hints, which says them when the story wants it. */
export interface HintHub extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  readonly subscriptions: () => readonly HintSubscription[];
  /** Sets the answer to the next subscriptions. */
  readonly answer: (next: () => Response) => void;
  /** Says a hint to the wrapper that subscribed last. @returns the status of its answer */
  readonly say: (hint: Partial<Hint>, key?: string) => Promise<number>;
}

/** The answer that takes a subscription. */
export const subscribed = (): Response =>
  Response.json({ decision: "subscribed", renewAfterMs: 600_000 });

/** Listens with TLS; the environment leads a wrapper there. */
export async function hintHub(tokenPath: string): Promise<HintHub> {
  const authority = await certificateAuthority();
  const { certificatePem: cert, keyPem: key } = await authority.issue();
  const subscriptions: HintSubscription[] = [];
  let answer = subscribed;
  let sequence = 0;
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, tls: { cert, key } },
    fetch: async (request) => {
      const isHint = new URL(request.url).pathname === "/v1/hint-subscriptions";
      if (!isHint) return new Response("", { status: 404 });
      subscriptions.push((await request.json()) as HintSubscription);
      return answer();
    },
  });
  return {
    environment: {
      SVC_HINTS: "true",
      SVC_PERMITS_ADDR: `https://127.0.0.1:${server.port}`,
      SVC_PERMITS_CACERT_BYTES: authority.certificatePem,
      SVC_PERMITS_TOKEN_FILE: tokenPath,
    },
    subscriptions: () => subscriptions,
    answer: (next) => {
      answer = next;
    },
    say: async (hint, other) => {
      const last = subscriptions.at(-1);
      if (last === undefined) throw new Error("no wrapper has subscribed");
      sequence += 1;
      const whole: Hint = { sequence, news: "fresh", validMs: 60_000, ...hint };
      const mac = createHmac("sha256", Buffer.from(other ?? last.key, "hex"))
        .update(hintText(whole))
        .digest("hex");
      const headers = { [HINT_HEADER]: `${hintText(whole)} ${mac}` };
      const url = `http://127.0.0.1:${last.port}/v1/hints`;
      return (await fetch(url, { method: "POST", headers })).status;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
