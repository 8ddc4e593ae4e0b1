import type { Log } from "../log.ts";

const levels = { debug: 0, info: 1, warn: 2, error: 3 } as const;

/** How much a line matters. */
export type LogLevel = keyof typeof levels;

/** True where lines of the level are written by whoever wants those from `least` on. */
export function isLogged(level: LogLevel, least: LogLevel): boolean {
  return levels[level] >= levels[least];
}

/** Makes a log of JSON lines from a level on. */
export function operatorLog(least: LogLevel, put: (line: string) => void): Log {
  return (level, message, fields = {}) => {
    if (!isLogged(level, least)) return;
    const time = new Date().toISOString();
    put(JSON.stringify({ time, level, component: "operator", message, ...fields }));
  };
}
