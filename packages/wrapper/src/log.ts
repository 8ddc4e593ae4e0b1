import { writeIfPossible } from "@svc/kernel";

const levels = { debug: 0, info: 1, warn: 2, error: 3 } as const;

export type LogLevel = keyof typeof levels;
export type LogFormat = "json" | "text";
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** One method a level. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** The process that speaks. */
  readonly component: "supervisor" | "courier";
  readonly write: (line: string) => void;
  readonly now: () => Date;
}

/** Makes a logger. Callers pass names, counts and codes: never a value or a token. */
export function createLogger(options: LogOptions): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (levels[level] < levels[options.level]) return;
      const { component } = options;
      const time = options.now().toISOString();
      const safe = Object.fromEntries(Object.entries(fields).map(cleanField));
      const line = { time, level, component, message: oneLine(message), ...safe };
      options.write(options.format === "json" ? JSON.stringify(line) : textLine(line, safe));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Writes lines to standard error; it does not stop when the reader has gone away. */
export function writeToStandardError(line: string): void {
  writeIfPossible(2, new TextEncoder().encode(`${line}\n`));
}

function textLine(
  line: { readonly time: string; readonly level: string; readonly message: string },
  fields: LogFields,
): string {
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => ` ${name}=${typeof value === "string" ? JSON.stringify(value) : value}`,
    );
  return `svc: ${line.level}: ${line.message}${rest.join("")}`;
}

function cleanField([name, value]: [string, LogFields[string]]): [string, LogFields[string]] {
  return [name, typeof value === "string" ? oneLine(value) : value];
}

/**
 * Control characters could forge a second line, and marks that turn the direction of writing could
 * show another one than was written; UAX #9.
 */
function oneLine(message: string): string {
  return message.replace(unsafe, " ");
}

const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
