import type { Failure } from "./errors.ts";

/** How a courier's work ended, as the supervisor learns it from the report pipe. */
export type CourierReport =
  | { readonly kind: "became the program" }
  | { readonly kind: "failed"; readonly failures: readonly Failure[] }
  /** It ended without a word: killed, or a mistake of ours. */
  | { readonly kind: "died" };

/** Written right before execve. What follows it is the failure of that execve. */
const BECOMING = ">";

/** The bytes that say that execve comes next. */
export function becomingMessage(): Uint8Array {
  return new TextEncoder().encode(BECOMING);
}

/** The bytes that say why there is no program. */
export function failureMessage(failures: readonly Failure[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(failures));
}

/** Reads all that a courier wrote. A torn message means that it died while it wrote. */
export function readReport(text: string): CourierReport {
  if (text === BECOMING) return { kind: "became the program" };
  try {
    const json = text.startsWith(BECOMING) ? text.slice(BECOMING.length) : text;
    // Written by this program's own courier with failureMessage.
    return { kind: "failed", failures: JSON.parse(json) as readonly Failure[] };
  } catch {
    return { kind: "died" };
  }
}
