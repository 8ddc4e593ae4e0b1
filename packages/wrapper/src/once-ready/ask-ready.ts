import { type ReadyAnswer, readyAnswer } from "./ready-answer.ts";
import type { ReadyQuestion } from "./ready-question.ts";

/** The wrapper's answer, or why there is none. */
export type AskedReady =
  | ({ readonly kind: "answer" } & ReadyAnswer)
  | { readonly kind: "none"; readonly why: string };

const REQUEST = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
/** The wrapper's own answers have less than 1 KiB. */
const MOST_BYTES = 8192;

/**
 * Asks a wrapper whether its program runs. By hand: the runtime's HTTP client starts a thread of
 * its own, and follows redirections.
 *
 * The certificate is not verified, as the kubelet does not verify it either. It names the pod, not
 * its loopback; the container need not have its CA; and nothing secret is said. Another program
 * that takes the wrapper's port is in the pod already.
 */
export function askReady(question: ReadyQuestion, deadlineMs: number): Promise<AskedReady> {
  const { promise, resolve } = Promise.withResolvers<AskedReady>();
  const giveUp = () => resolve({ kind: "none", why: `no answer within ${deadlineMs / 1000} s` });
  setTimeout(giveUp, deadlineMs);
  connect(question, resolve).catch((error) => resolve({ kind: "none", why: errorText(error) }));
  return promise;
}

async function connect(
  { host, port, isTls }: ReadyQuestion,
  settle: (asked: AskedReady) => void,
): Promise<void> {
  const received: Uint8Array[] = [];
  let length = 0;
  const end = () => settle(answerIn(Buffer.concat(received)));
  await Bun.connect({
    hostname: host,
    port,
    ...(isTls && { tls: { rejectUnauthorized: false } }),
    socket: {
      open: (socket) => void socket.write(REQUEST),
      data: (_socket, bytes) => {
        received.push(bytes.slice());
        length += bytes.length;
        if (length >= MOST_BYTES) end();
      },
      close: end,
      error: (_socket, error) => settle({ kind: "none", why: errorText(error) }),
    },
  });
}

function answerIn(bytes: Uint8Array): AskedReady {
  if (bytes.length === 0) return { kind: "none", why: "closed without an answer" };
  const answer = readyAnswer(bytes);
  if (answer === undefined) return { kind: "none", why: "the answer is not HTTP" };
  return { kind: "answer", ...answer };
}

function errorText(error: unknown): string {
  if (error instanceof Error && "code" in error) return String(error.code);
  return error instanceof Error ? error.name : "unknown error";
}
