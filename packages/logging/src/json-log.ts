import type { Log, LogLevel } from "./log.ts";

const levels = { debug: 0, info: 1, warn: 2, error: 3 } as const satisfies Record<LogLevel, number>;

/** How a log of JSON lines is made. */
export interface JsonLogOptions {
  /** The part of svc that speaks. */
  readonly component: string;
  readonly least: LogLevel;
  readonly put: (line: string) => void;
}

/** True if a log from `least` on includes lines of the level. */
export function isLogged(level: LogLevel, least: LogLevel): boolean {
  return levels[level] >= levels[least];
}

/** Makes a log of JSON lines from a level on. */
export function jsonLog({ component, least, put }: JsonLogOptions): Log {
  return (level, message, fields = {}) => {
    if (!isLogged(level, least)) return;
    const time = new Date().toISOString();
    put(JSON.stringify({ time, level, component, message, ...fields }));
  };
}
