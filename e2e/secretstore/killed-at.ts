import type { Accident } from "./fault-proxy.ts";

/** On which side of its server's work a request has its accident. */
export type Moment = "before" | "after";

/** The place of a run's accident: at a request, by its number. */
export interface AccidentRow {
  readonly number: number;
  readonly moment: Moment;
  /** For example `after request 10 (PUT sys/init)`. */
  readonly title: string;
}

/**
 * The places of accidents in a run: before each request, and after each that changes something.
 * After one that only reads, both servers are as they were before it.
 */
export function accidentRows(names: readonly string[], from = 1): readonly AccidentRow[] {
  return names.flatMap((name, index) => {
    const number = from + index;
    const moments = isWrite(name) ? (["before", "after"] as const) : (["before"] as const);
    return moments.map((moment) => ({
      ...{ number, moment },
      title: `${moment} request ${number} (${name})`,
    }));
  });
}

/**
 * The places at which a run can be killed that differ for the next run: before the first request,
 * and after each that changes something. A run that is killed anywhere else leaves both servers as
 * at the place before, and takes all that it knows with it.
 */
export function killRows(names: readonly string[], from = 1): readonly AccidentRow[] {
  const rows = accidentRows(names, from);
  return rows.filter(({ number, moment }) => number === from || moment === "after");
}

/** True of a request that changes something. */
export function isWrite(name: string): boolean {
  return !name.startsWith("GET ") && !name.endsWith("?dryRun=All");
}

/** Kills the command when a request of its comes, or when the server has answered it. */
export function killedAt({ number, moment }: AccidentRow) {
  return (kill: () => Promise<void>): Accident => {
    const strike: Accident["onRequest"] = async (request) => {
      if (request.number !== number) return "passes";
      await kill();
      return "is lost";
    };
    return moment === "before" ? { onRequest: strike } : { onAnswer: strike };
  };
}

/** Breaks the connection at a request, or at its answer. */
export function lostAt({ number, moment }: AccidentRow): () => Accident {
  const lose: Accident["onRequest"] = (request) =>
    request.number === number ? "is lost" : "passes";
  return () => (moment === "before" ? { onRequest: lose } : { onAnswer: lose });
}
