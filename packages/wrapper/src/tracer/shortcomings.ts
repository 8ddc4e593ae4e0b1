/** What the log says about a process that is let go. */
export interface Saying {
  readonly level: "debug" | "info" | "warn";
  readonly message: string;
  readonly executed?: string;
}

/** Why a program behind a launcher keeps the values that the launcher passed to it. */
const shortcomings = {
  foreign: "a launcher starts a program of 32 bits",
  unreadable: "a launcher starts a program of no read permission",
  "raises privileges": "a launcher starts a program that raises privileges",
  "no descriptor": "a launcher closed the descriptor of the secrets",
  "no memory": "a launcher's program may not lock memory (RLIMIT_MEMLOCK)",
} as const;

/** For one that is let go as it is. */
export function unprotected(kind: keyof typeof shortcomings, executed?: string): Saying {
  const consequence = "its values stay in its environment, readable in /proc/PID/environ";
  const message = `${shortcomings[kind]}: ${consequence}`;
  return { level: "warn", message, ...(executed === undefined ? {} : { executed }) };
}
