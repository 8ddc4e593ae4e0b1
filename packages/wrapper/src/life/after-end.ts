import type { Ending } from "../program/ending.ts";
import type { RestartSettings } from "../settings.ts";

const FIRST_DELAY_MS = 1000;
/** Ends on request, as systemd counts them: systemd.service(5), Restart=. */
const cleanSignals: ReadonlySet<number> = new Set([1, 2, 13, 15]);
/** SIGINT and SIGQUIT: a user at a terminal ends the program. */
const keyboardSignals: ReadonlySet<number> = new Set([2, 3]);

/** The wrapper's action when the program has ended by itself. */
export type AfterEnd =
  | { readonly kind: "exit" }
  | { readonly kind: "restart"; readonly delayMs: number; readonly attempt: number };

export interface EndedProgram {
  readonly ending: Ending;
  readonly ranForMs: number;
  /** Restarts in a row before this end. */
  readonly restarts: number;
  /** True once a signal has asked the wrapper to end. */
  readonly stopping: boolean;
}

/**
 * Decides by SVC_RESTART. Pure. The pause doubles until the program has run for longer than the
 * longest.
 */
export function afterEnd({ policy, maxDelayMs }: RestartSettings, ended: EndedProgram): AfterEnd {
  if (ended.stopping || policy === "never") return { kind: "exit" };
  if (keyboardSignals.has(ended.ending.signal ?? 0)) return { kind: "exit" };
  if (policy === "on-failure" && isClean(ended.ending)) return { kind: "exit" };
  const attempt = ended.ranForMs > maxDelayMs ? 1 : ended.restarts + 1;
  const delayMs = Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 30));
  return { kind: "restart", delayMs, attempt };
}

function isClean({ exitCode, signal }: Ending): boolean {
  return signal === undefined ? exitCode === 0 : cleanSignals.has(signal);
}
