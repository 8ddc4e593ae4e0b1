/** How much a line matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Takes one line of a program's log; the fields never hold a secret. */
export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;
