import { createLogger, type Logger } from "../../log.ts";

/** A logger whose lines a test can look at. */
export function recordLog(): { readonly log: Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    level: "debug",
    format: "json",
    component: "supervisor",
    write: (line) => void lines.push(JSON.parse(line)),
    now: () => new Date(0),
  });
  return { log, lines };
}
