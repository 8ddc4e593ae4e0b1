import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { argumentVector, isIgnored, parentPid, setParentDeathSignal } from "@svc/kernel";

/**
 * A second process owns a run of `svc secretstore init`. The store gives its keys once, in one
 * answer, up to ten seconds after the request. A kill of the process that you started does not lose
 * them.
 *
 * 1. The process that was started is the caller. It starts the same program as the holder, in a new
 *    session, so
 *    that neither a terminal's signals nor a kill of the caller's group reach the holder.
 * 2. The caller hands signals on, and ends as the holder does.
 * 3. The kernel tells the holder when the caller has died. The holder treats that as SIGTERM: it
 * ends at once, but not
 *    while it has asked for keys and not stored them.
 * 4. In the memory that both share the caller is to be killed first.
 *
 * As PID 1 of a container there is one process only: the kernel kills all others with it.
 */
const NAME = "svc-holder-of-";

const handedOn = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

const FIRST_VICTIM = "1000";

/** True if this process is to start a holder and not to be one. */
export function isCaller(): boolean {
  // From sources there is no program that could be started again.
  const isCompiled = Bun.main.startsWith("/$bunfs/");
  return isCompiled && process.pid !== 1 && callerPid() === undefined;
}

/**
 * Starts the holder with this process's words, input and output, and waits for it.
 * @returns its exit status; 128 + n if signal n ended it
 */
export async function callHolder(environment: Readonly<Record<string, string>>): Promise<number> {
  const [, ...words] = ownArguments();
  // By this link also if the file's path is not reached.
  const child = Bun.spawn(["/proc/self/exe", ...words], {
    argv0: `${NAME}${process.pid}`,
    env: environment,
    stdio: ["inherit", "inherit", "inherit"],
    detached: true,
  });
  for (const signal of handedOn) {
    if (isIgnored(constants.signals[signal])) continue;
    process.on(signal, () => child.kill(signal));
  }
  beFirstVictim();
  await child.exited;
  const { exitCode, signalCode } = child;
  return signalCode === null ? (exitCode ?? 125) : 128 + signalNumber(signalCode);
}

/** A real-time signal comes without a name. */
function signalNumber(signal: NodeJS.Signals | number): number {
  return typeof signal === "number" ? signal : constants.signals[signal];
}

/** If this process is a holder: has the kernel say when the caller has died. */
export function followCaller(): void {
  const caller = callerPid();
  if (caller === undefined) return;
  setParentDeathSignal(constants.signals.SIGTERM);
  // It has died before that.
  if (parentPid() !== caller) process.kill(process.pid, "SIGTERM");
}

function callerPid(): number | undefined {
  const [name = ""] = ownArguments();
  return name.startsWith(NAME) ? Number(name.slice(NAME.length)) : undefined;
}

function ownArguments(): readonly string[] {
  return argumentVector().map((word) => new TextDecoder().decode(word));
}

function beFirstVictim(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", FIRST_VICTIM);
  } catch {
    // Without /proc, or if it is read-only, the kernel chooses by itself.
  }
}
