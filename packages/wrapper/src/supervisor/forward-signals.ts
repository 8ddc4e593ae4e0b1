import { constants } from "node:os";

/** Cannot be caught, or are the supervisor's own affair: its children, and noise of runtimes. */
const kept = new Set(["SIGKILL", "SIGSTOP", "SIGCHLD", "SIGURG"]);

/** Hands every signal that can be caught and has a name to `forward`, by number. */
export function forwardSignals(forward: (signal: number) => void): void {
  const byNumber = new Map(
    Object.entries(constants.signals)
      .filter(([name]) => !kept.has(name))
      .map(([name, signal]) => [signal, name]),
  );
  for (const [signal, name] of byNumber) process.on(name, () => forward(signal));
}
