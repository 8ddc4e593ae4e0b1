import type { Failure } from "../errors.ts";
import type { WrapperSettings } from "../settings.ts";

/** A failure as the health port shows it. */
export interface ShownFailure {
  readonly code: string;
  /** One line, in bounds. */
  readonly text: string;
}

const LONGEST_TEXT = 400;

/** With SVC_SHOW_PATHS=false only its code: a message may name a path. Pure. */
export function shownFailure(
  { code, message }: Failure,
  { showPaths }: Pick<WrapperSettings, "showPaths">,
): ShownFailure {
  const text = showPaths ? message.slice(0, LONGEST_TEXT) : `${code}, see the log`;
  return { code, text };
}
