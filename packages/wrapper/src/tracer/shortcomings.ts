import { readLink } from "@svc/kernel";
import type { Logger } from "../log.ts";
import { tracerOf } from "./thread-states.ts";

/** Why a program that the main program has started keeps plain values, and the remedy. */
const shortcomings = {
  foreign: "it is for another architecture, or has 32 bits",
  unreadable: "its file may be executed and not read",
  "raises privileges": "its file raises privileges",
  "no descriptor": "the program before it has closed the descriptor of the secrets",
  "no more descriptors": "it may open no descriptor (RLIMIT_NOFILE)",
  "not reached": "the interposer is not in it: it is static, or LD_PRELOAD was taken away",
  copied: "another variable holds a copy of one, which svc did not make",
  "no memory": "it may not lock memory for them (RLIMIT_MEMLOCK)",
  "not permitted": "the kernel does not allow to trace it",
  "traced by another": "another process traces it, such as a debugger or a nested svc-wrapper",
} as const;

export type Shortcoming = keyof typeof shortcomings;

/** Found out before the execve, when the process still is the program that starts the other one. */
const beforeExecve: ReadonlySet<Shortcoming> = new Set(["not permitted", "traced by another"]);

const EBADF = -9;
const EEXIST = -17;
const EMFILE = -24;

// A program that starts thousands of others must not fill the log.
const MOST_SAID = 100;

/** Programs that have their values in plain: counts them all, and reports each file once. */
export class Shortcomings {
  readonly #log: Pick<Logger, "warn">;
  readonly #onNew: () => void;
  readonly #said = new Set<string>();
  #count = 0;

  constructor(log: Pick<Logger, "warn">, onNew: () => void) {
    this.#log = log;
    this.#onNew = onNew;
  }

  /** How many programs. */
  get count(): number {
    return this.#count;
  }

  note(kind: Shortcoming, pid: number): void {
    this.#count += 1;
    this.#onNew();
    const program = executable(pid);
    const text = `${kind} ${program}`;
    if (this.#said.has(text) || this.#said.size >= MOST_SAID) return;
    this.#said.add(text);
    const consequence = "its values are readable in /proc/PID/environ";
    const message = `a program that was started has plain values: ${shortcomings[kind]}`;
    const field = beforeExecve.has(kind) ? "startedBy" : "program";
    const tracer = kind === "traced by another" ? { tracer: executable(tracerOf(pid)) } : {};
    this.#log.warn(`${message}: ${consequence}`, { pid, [field]: program, ...tracer });
  }
}

/** @param result the negative errno of the preparing code's failed call. */
export function whyRefused(result: number): Shortcoming {
  if (result === EBADF) return "no descriptor";
  if (result === EEXIST) return "copied";
  return result === EMFILE ? "no more descriptors" : "no memory";
}

function executable(pid: number): string {
  try {
    return readLink(`/proc/${pid}/exe`);
  } catch {
    return "unknown";
  }
}
