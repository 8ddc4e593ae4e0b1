/** An answer of the health server, as far as a probe has to know it. */
export interface ReadyAnswer {
  readonly status: number;
  /** Why it is not ready, on one line of visible ASCII; empty where the answer does not say it. */
  readonly reason: string;
}

const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?\r\n/;
const MOST_LETTERS = 200;

/** Reads what came before the connection was closed; undefined where that is no HTTP. */
export function readyAnswer(bytes: Uint8Array): ReadyAnswer | undefined {
  const text = new TextDecoder().decode(bytes);
  const status = Number(STATUS_LINE.exec(text)?.[1] ?? 0);
  if (status === 0) return undefined;
  const end = text.indexOf("\r\n\r\n");
  return { status, reason: end < 0 ? "" : reasonIn(text.slice(end + 4)) };
}

/** Before the wrapper listens another program may: nothing of its answer goes further unseen. */
function reasonIn(body: string): string {
  const { status, reason } = parsed(body);
  const said = [status, reason].filter((text) => typeof text === "string").join(": ");
  return said.replace(/[^\x20-\x7e]/g, "?").slice(0, MOST_LETTERS);
}

function parsed(body: string): { readonly status?: unknown; readonly reason?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}
