/** The state of a container, as its pod's status says. */
export interface ContainerState {
  readonly name: string;
  /**
   * `runs`: its program does. `ended`: with 0. `waits`: it has not been started, or its program has
   * not. `fails`: it ended with another status, or the node cannot start it.
   */
  readonly standing: "runs" | "ended" | "waits" | "fails";
  readonly restarts: number;
  /** One line for people. */
  readonly text: string;
  /** Its wrapper runs, and its program does not yet. */
  readonly isStarting?: true;
  /** How it ended last; undefined if it never did. */
  readonly end: ContainerEnd | undefined;
}

/** The end of a container. */
export interface ContainerEnd {
  readonly exitCode: number;
  /** The kubelet's word: `Error`, `OOMKilled`; empty if it has none. */
  readonly reason: string;
  /**
   * The wrapper's own words, line by line: code, message, hint. Empty if the program ended by
   * itself.
   */
  readonly wrapper: readonly string[];
}

/** Reads a member of `containerStatuses`. */
export function containerState(status: unknown): ContainerState {
  const { name, state, lastState, restartCount, started } = Object(status);
  const { waiting, terminated } = Object(state);
  const end = endOf(terminated) ?? endOf(Object(lastState).terminated);
  const restarts = Number(restartCount ?? 0);
  const base = { name: String(name), restarts, end };
  if (terminated !== undefined) {
    const standing = end?.exitCode === 0 ? "ended" : "fails";
    return { ...base, standing, text: endText(end) };
  }
  if (waiting !== undefined) return waitingState(base, Object(waiting));
  if (Object(state).running === undefined) {
    return { ...base, standing: "waits", text: "no node has started it" };
  }
  const last = restarts === 0 || end === undefined ? "" : `; before, ${endText(end)}`;
  const count = restarts === 0 ? "" : `, started again ${times(restarts)}`;
  if (started !== false) return { ...base, standing: "runs", text: `it runs${count}${last}` };
  const hasFailed = restarts > 0 && end?.exitCode !== 0;
  const text = `it has started, and its program has not${count}${last}`;
  return { ...base, standing: hasFailed ? "fails" : "waits", text, isStarting: true };
}

/** A node that cannot go on says so by such a word (kubelet, ErrImagePull and CrashLoopBackOff). */
const failing = /BackOff$|^Err|Error$|^InvalidImageName$/;

function waitingState(
  base: Pick<ContainerState, "name" | "restarts" | "end">,
  waiting: { readonly reason?: unknown; readonly message?: unknown },
): ContainerState {
  const reason = String(waiting.reason ?? "");
  const standing = failing.test(reason) ? "fails" : "waits";
  if (reason === "CrashLoopBackOff" && base.end !== undefined) {
    const text = `${endText(base.end)}; started again ${times(base.restarts)}, and waits for the next time`;
    return { ...base, standing, text };
  }
  const message = plain(waiting.message);
  const told = message === "" ? "" : `: ${message}`;
  return { ...base, standing, text: `it waits${reason === "" ? "" : ` (${reason})`}${told}` };
}

function endOf(terminated: unknown): ContainerEnd | undefined {
  if (terminated === undefined || terminated === null) return undefined;
  const { exitCode, reason, message } = Object(terminated);
  const code = Number(exitCode);
  return { exitCode: code, reason: String(reason ?? ""), wrapper: wrapperLines(code, message) };
}

const WRAPPER_CODES = [125, 126, 127];
const MOST_LINES = 20;

/**
 * The wrapper's lines of a termination message. Those of a program are left out: they may hold
 * anything, and the wrapper's hold no value.
 */
function wrapperLines(exitCode: number, message: unknown): readonly string[] {
  if (!WRAPPER_CODES.includes(exitCode) || typeof message !== "string") return [];
  if (!/^[A-Z][A-Z_]+: /.test(message)) return [];
  return message.split("\n", MOST_LINES).map(plain);
}

function endText(end: ContainerEnd | undefined): string {
  if (end === undefined) return "it ended";
  const { exitCode, reason, wrapper } = end;
  if (reason === "OOMKilled") return `it ended with ${exitCode}: its memory limit was reached`;
  if (exitCode === 0) return "it ended with 0";
  return wrapper.length > 0
    ? `its wrapper ended with ${exitCode}`
    : `it ended with ${exitCode}${reason === "" || reason === "Error" ? "" : ` (${reason})`}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** On a terminal a control character would do something. */
function plain(text: unknown): string {
  return typeof text === "string" ? text.replace(/\p{Cc}+/gu, " ").slice(0, 1000) : "";
}
