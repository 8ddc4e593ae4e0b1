import { descendantsOf, readLink, readWholeFile, SyscallError } from "@svc/kernel";
import type { Observation } from "../life/life.ts";
import type { Logger } from "../log.ts";
import { valuesInEnviron } from "../protection/values-in-environ.ts";
import { Shortcomings } from "../tracer/shortcomings.ts";
import type { Program } from "./delivery.ts";

/** Programs start others early, if at all; later a look a minute is enough. */
const PAUSES_MS = [0, 1_500, 8_000, 20_000] as const;
const LATER_MS = 60_000;
// The most children of one look: a machine may be full of them.
const MOST_CHILDREN = 512;
const MAX_ENVIRON_BYTES = 4 << 20;

/** Looks at the program's descendants, if no execve is announced and nothing is traced. */
export interface LookAtChildren extends Disposable {
  /** How many programs were seen to have plain values. */
  readonly count: number;
}

export interface LookPorts {
  readonly log: Logger;
  readonly observe: (observation: Observation) => void;
}

/**
 * Looks now and then whether programs that were started show values in /proc/PID/environ, for the
 * interposer does not reach every program. It does not see short-lived programs.
 */
export function lookAtChildren(
  { log, observe }: LookPorts,
  { child, secrets: { variables } }: Program,
): LookAtChildren {
  const shortcomings = new Shortcomings(log, () => observe({ kind: "unprotected program" }));
  const seen = new Set<string>();
  let looks = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    for (const pid of descendantsOf(child.pid).slice(0, MOST_CHILDREN)) {
      const program = programWithValues(pid, variables);
      if (program === undefined || seen.has(`${pid} ${program}`)) continue;
      seen.add(`${pid} ${program}`);
      shortcomings.note("not reached", pid);
    }
    plan();
  };
  const plan = () => {
    timer = setTimeout(look, PAUSES_MS[looks] ?? LATER_MS);
    looks += 1;
  };
  plan();
  return {
    get count() {
      return shortcomings.count;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/**
 * The file of a process whose environment shows a value; undefined if it does not, or is closed.
 */
function programWithValues(pid: number, variables: readonly string[]): string | undefined {
  try {
    const block = readWholeFile(`/proc/${pid}/environ`, MAX_ENVIRON_BYTES);
    const count = valuesInEnviron(block, variables);
    // Others' secrets may be in there.
    block.fill(0);
    return count === 0 ? undefined : readLink(`/proc/${pid}/exe`);
  } catch (error) {
    if (error instanceof SyscallError) return undefined;
    throw error;
  }
}
