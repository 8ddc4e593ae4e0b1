/** How much a line matters. */
export type OperatorLogLevel = "info" | "warn" | "error";

/** What a line says beside its message: names, counts and codes, never a value. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes one line. */
export type OperatorLog = (level: OperatorLogLevel, message: string, fields?: LogFields) => void;

const levels = { info: 0, warn: 1, error: 2 } as const;

/** True where lines of the level are written by whoever wants those from `least` on. */
export function isLogged(level: OperatorLogLevel, least: OperatorLogLevel): boolean {
  return levels[level] >= levels[least];
}

/** A line of JSON, without a line feed at its end. */
export function operatorLine(
  level: OperatorLogLevel,
  message: string,
  fields: LogFields & { readonly time: string },
): string {
  const { time, ...rest } = fields;
  return JSON.stringify({ time, level, component: "operator", message, ...rest });
}
