/** A request about the guards: those of the kernel, and those of the agent's programs in it. */
export type BreakGlassRequest =
  | { readonly ask: "open"; readonly seconds: number; readonly reason: string }
  | { readonly ask: "close"; readonly reason: string }
  /** Removes the pins, so that nothing outlives the agent. */
  | { readonly ask: "remove"; readonly reason: string };

/** The answer, as one line of JSON. */
export type BreakGlassAnswer =
  | { readonly ok: true; readonly done: string }
  | { readonly ok: false; readonly message: string };

/** The answer to other users, and to root of a pod. */
export const onlyRoot = "only root of the machine may use break-glass";

/** How long the guards may be open at most: a day. */
export const MOST_SECONDS = 24 * 3600;
/** Characters of a reason. */
export const MOST_REASON = 200;
/** Bytes of a request. */
export const MOST_REQUEST = 4096;

/** Reads a request; undefined if it is invalid. */
export function parseBreakGlassRequest(text: string): BreakGlassRequest | undefined {
  const value = parsed(text);
  if (typeof value !== "object" || value === null) return undefined;
  if (!("reason" in value) || !isReason(value.reason) || !("ask" in value)) return undefined;
  const { ask, reason } = value;
  if (ask === "close" || ask === "remove") return { ask, reason };
  if (ask !== "open" || !("seconds" in value) || !isTime(value.seconds)) return undefined;
  return { ask, seconds: value.seconds, reason };
}

function isReason(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= MOST_REASON;
}

function isTime(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= MOST_SECONDS;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
