import type { PlainAnswer } from "../runtime.ts";

const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?\r\n/;

/** Reads what came before the connection was closed; a body that is cut off is as it is. */
export function readHttpAnswer(bytes: Uint8Array): PlainAnswer {
  if (bytes.length === 0) return { kind: "none", why: "closed without an answer" };
  const text = new TextDecoder().decode(bytes);
  const status = Number(STATUS_LINE.exec(text)?.[1] ?? 0);
  if (status === 0) return { kind: "none", why: "the answer is not HTTP" };
  const end = text.indexOf("\r\n\r\n");
  return { kind: "answer", status, body: end < 0 ? "" : text.slice(end + 4) };
}
