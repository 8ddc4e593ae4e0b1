import { constants } from "node:os";
import { CliError } from "./errors.ts";
import type { SignalSource } from "./signal-source.ts";

const forwarded = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Runs the wrapper with this process's own input and output, hands signals on, and waits.
 *
 * @returns its exit status; 128 + n if signal n ended it.
 * @throws CliError `WRAPPER_MISSING`
 */
export async function runWrapper(
  command: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  signals: SignalSource,
): Promise<number> {
  const child = start(command, environment);
  for (const signal of forwarded) signals.on(signal, () => child.kill(signal));
  await child.exited;
  const { exitCode, signalCode } = child;
  if (signalCode !== null) return 128 + signalNumber(signalCode);
  return exitCode ?? 125;
}

/** A real-time signal comes without a name. */
function signalNumber(signal: NodeJS.Signals | number): number {
  return typeof signal === "number" ? signal : constants.signals[signal];
}

function start(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Bun.Subprocess {
  try {
    return Bun.spawn([...command], { env, stdio: ["inherit", "inherit", "inherit"] });
  } catch (error) {
    throw new CliError("WRAPPER_MISSING", [`start "${command[0]}": cannot be executed`], error);
  }
}
