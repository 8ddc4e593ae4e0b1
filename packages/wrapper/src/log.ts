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
      const line = { time, level, component, message, ...fields };
      options.write(options.format === "json" ? JSON.stringify(line) : textLine(line, fields));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Writes lines to standard error; a reader that has gone away is no reason to stop. */
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
  return `svc: ${line.level}: ${oneLine(line.message)}${rest.join("")}`;
}

/** A message with control characters could forge a second line. */
function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\u2028\u2029]/gu, " ");
}
