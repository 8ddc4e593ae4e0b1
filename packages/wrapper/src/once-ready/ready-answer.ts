/** An answer of the health server, as far as a probe has to know it. */
export interface ReadyAnswer {
  readonly status: number;
  /** Why it is not ready, on one line of visible ASCII; empty if the answer does not say it. */
  readonly reason: string;
}

const MOST_LETTERS = 200;

/**
 * Why the wrapper is not ready, by the body of its answer. Before the wrapper listens another
 * program may: nothing of its answer goes further unseen.
 */
export function reasonIn(body: string): string {
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
