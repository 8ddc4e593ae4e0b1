import type { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import type { Flood } from "./scenario.ts";

/** The acts that a flood repeats. */
export interface FloodActs {
  /** Sends the wrapper a signal. */
  readonly signal: () => void;
  /** Asks the health port. */
  readonly request: (path: string) => void;
  /** The program that runs, if there is one. */
  readonly program: () => Process | undefined;
}

/**
 * The time between two acts. A turn of the loop takes longer, so that a signal always waits; for
 * requests and orphans the times are those of bench/floods.ts.
 */
const EVERY_US: Readonly<Record<Flood["kind"], number>> = {
  signals: 1,
  requests: 333,
  orphans: 200,
};

/** Beside a flood probes come as often. */
const PROBE_EVERY_US = 10_000;

/** Has floods come at their times. */
export function planFloods(machine: Machine, floods: readonly Flood[], acts: FloodActs): void {
  for (const flood of floods) planFlood(machine, flood, acts);
}

function planFlood(machine: Machine, { kind, fromMs, ms }: Flood, acts: FloodActs): void {
  const endUs = machine.nowUs + (fromMs + ms) * 1000;
  const act = {
    signals: acts.signal,
    requests: () => acts.request("/metrics"),
    orphans: () => leaveOrphan(machine, acts.program()),
  }[kind];
  const repeat = (everyUs: number, run: () => void) => {
    if (machine.nowUs >= endUs) return;
    run();
    machine.after(everyUs, () => repeat(everyUs, run));
  };
  machine.after(fromMs * 1000, () => {
    machine.trace.note(`flood: ${kind}`);
    repeat(EVERY_US[kind], act);
    repeat(PROBE_EVERY_US, () => acts.request("/healthz"));
  });
}

/** The program's child starts another process and ends, and that one ends, too. */
function leaveOrphan(machine: Machine, program: Process | undefined): void {
  if (program === undefined) return;
  const { blocked, ignored, limits, group } = program;
  const inherited = { group, blocked, ignored, limits };
  const none = () => false;
  const child = machine.fork(program, inherited, none);
  const orphan = machine.fork(child, inherited, none);
  machine.end(child, { kind: "exited", code: 0 });
  machine.reap(child);
  machine.end(orphan, { kind: "exited", code: 0 });
}
