import type { PlainAnswer, PlainQuestion } from "../runtime.ts";
import { readHttpAnswer } from "./read-http-answer.ts";

/**
 * Asks by hand: the runtime's HTTP client starts a thread of its own, and follows redirections. The
 * server closes the connection after its answer.
 */
export async function ask(question: PlainQuestion): Promise<PlainAnswer> {
  const { promise, resolve } = Promise.withResolvers<PlainAnswer>();
  try {
    await connect(question, resolve);
    return await promise;
  } catch (error) {
    return { kind: "none", why: errorText(error) };
  }
}

async function connect(
  { host, port, isTls, path, mostBytes }: PlainQuestion,
  settle: (answer: PlainAnswer) => void,
): Promise<void> {
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  const received: Uint8Array[] = [];
  let length = 0;
  await Bun.connect({
    hostname: host,
    port,
    ...(isTls && { tls: { rejectUnauthorized: false } }),
    socket: {
      open: (socket) => void socket.write(request),
      data: (_socket, bytes) => {
        received.push(bytes.slice());
        length += bytes.length;
        if (length > mostBytes) settle({ kind: "none", why: "the answer is too long" });
      },
      close: () => settle(readHttpAnswer(Buffer.concat(received))),
      error: (_socket, error) => settle({ kind: "none", why: errorText(error) }),
    },
  });
}

function errorText(error: unknown): string {
  if (error instanceof Error && "code" in error) return String(error.code);
  return error instanceof Error ? error.name : "unknown error";
}
