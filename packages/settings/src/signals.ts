import { closest } from "./closest.ts";
import { accepted, type Parsed, refused } from "./parsed.ts";

// signal(7), from 1 on; x86 and arm64 have these numbers.
const names = `
  HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT
  STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
`
  .trim()
  .split(/\s+/);

/** The first and last real-time signal for programs: the C libraries keep 32 and 33, signal(7). */
const FIRST_REAL_TIME = 34;
const LAST_REAL_TIME = 64;

/** The name of a signal, for people: `SIGTERM`, `SIGRTMIN+3`; `signal 32` if it has none. */
export function signalName(signal: number): string {
  const name = names[signal - 1];
  if (name !== undefined) return `SIG${name}`;
  if (signal < FIRST_REAL_TIME || signal > LAST_REAL_TIME) return `signal ${signal}`;
  return signal === FIRST_REAL_TIME ? "SIGRTMIN" : `SIGRTMIN+${signal - FIRST_REAL_TIME}`;
}

const wanted = "a signal that ends a program, like SIGTERM, SIGINT, QUIT, SIGRTMIN+3 or 15";

/** They stop a program, let it go on, or tell a parent of it: signal(7). */
const ofJobControl: ReadonlySet<string> = new Set(["CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU"]);

/**
 * Parses the signal that asks a program to end, as StopSignal has it (OCI image-spec, config.md): a
 * name with or without `SIG`, in upper or lower case, or a number.
 *
 * @returns its number, from 1 to 64
 */
export function parseStopSignal(text: string): Parsed<number> {
  const name = text.toUpperCase().replace(/^SIG/, "");
  const signal = /^\d{1,3}$/.test(text) ? Number(text) : numberOf(name);
  if (signal === undefined || signalName(signal).startsWith("signal")) {
    const near = closest(name, names);
    return refused(wanted, near === undefined ? {} : { hint: `did you mean SIG${near}?` });
  }
  if (!ofJobControl.has(names[signal - 1] ?? "")) return accepted(signal);
  return refused(wanted, { found: `${signalName(signal)}, which does not ask a program to end` });
}

function numberOf(name: string): number | undefined {
  const index = names.indexOf(name);
  if (index >= 0) return index + 1;
  const realTime = /^RTM(?:IN(?:\+(?<up>\d{1,2}))?|AX(?:-(?<down>\d{1,2}))?)$/.exec(name);
  if (realTime === null) return undefined;
  const { up = "0", down = "0" } = realTime.groups ?? {};
  const signal = name.startsWith("RTMIN")
    ? FIRST_REAL_TIME + Number(up)
    : LAST_REAL_TIME - Number(down);
  return signal >= FIRST_REAL_TIME && signal <= LAST_REAL_TIME ? signal : undefined;
}
