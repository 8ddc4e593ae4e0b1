import { jsonLog } from "./json-log.ts";
import type { LineQueue } from "./line-queue.ts";
import type { Log, LogLevel } from "./log.ts";
import { writeLinesTo } from "./write-lines-to.ts";

/** As every program of svc: 1 may belong to another program. */
const FAILED = 125;
const QUIET_MS = 60_000;
const SIGNALS = { SIGTERM: 15, SIGINT: 2 } as const;

/** The inputs of a long-running program. */
export interface ServiceParts {
  readonly log: Log;
  /** The output for the log's lines: standard error. */
  readonly lines: LineQueue;
  /** Aborted by SIGTERM and SIGINT; a second one ends the process at once. */
  readonly signal: AbortSignal;
}

/** A program that lives long. */
export interface Service {
  /** As lines of its log name it. */
  readonly component: string;
  readonly least: LogLevel;
  /** The text for an error: never its own words if it may quote its input. */
  readonly describe: (
    error: unknown,
  ) => readonly [message: string, fields?: Readonly<Record<string, unknown>>];
  /**
   * Whether an error ends only the timer or event that has thrown it. The service goes on. It logs such
   * an error once a minute. An async function that fails always ends the service: it may have been a
   * part of it.
   */
  readonly survives?: (error: unknown) => boolean;
  /** Resolved when it has ended as it should. */
  readonly run: (parts: ServiceParts) => Promise<void>;
}

/**
 * Runs a service with a log and with signals that end it. @returns its exit code: 0, or 125 for an
 * error
 */
export async function runService(service: Service): Promise<number> {
  const { component, least, describe, run, survives = () => false } = service;
  const lines = writeLinesTo(Bun.stderr);
  const log = jsonLog({ component, least, put: lines.put });
  const fail = async (error: unknown): Promise<number> => {
    log("error", ...describe(error));
    await lines.flushed();
    return FAILED;
  };
  let quietUntil = 0;
  process.on("uncaughtException", (error) => {
    if (!survives(error)) return void fail(error).then(process.exit);
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    log("error", ...describe(error));
  });
  process.on("unhandledRejection", (error) => void fail(error).then(process.exit));
  try {
    await run({ log, lines, signal: endSignal() });
    await lines.flushed();
    return 0;
  } catch (error) {
    return fail(error);
  }
}

/** The text for an unknown error, without its words. */
export function unexpected(error: unknown): string {
  if (!(error instanceof Error)) return "something unexpected happened";
  const place = error.stack?.split("\n").find((line) => line.includes(" at ")) ?? "";
  return `something unexpected happened: ${error.name}${place}; please report it`;
}

function endSignal(): AbortSignal {
  const end = new AbortController();
  for (const [name, number] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      // A second signal ends the wait.
      if (end.signal.aborted) process.exit(128 + number);
      end.abort();
    });
  }
  return end.signal;
}
