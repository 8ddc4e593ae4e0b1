import { type DevStore, DevStoreError, startDevStore } from "@svc/devstore";
import { CliError } from "../errors.ts";
import { readSecretsFile } from "../read-secrets-file.ts";
import { runWrapper } from "../run-wrapper.ts";
import type { SignalSource } from "../signal-source.ts";
import { wrapperEnvironment } from "../wrapper-environment.ts";

/** The settings of `svc dev`. */
export interface DevOptions {
  /** Absent: `.env` of the working directory. */
  readonly secrets?: string;
  readonly port: number;
  readonly wrapper: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
  /** The signals that the wrapper gets as well. */
  readonly signals: SignalSource;
}

/**
 * Starts an in-memory store with the secrets of a file, runs a program under the real wrapper
 * against it, and stops both together. For development only.
 *
 * @returns the program's exit status, or the wrapper's own.
 * @throws CliError
 */
export async function dev(program: readonly string[], options: DevOptions): Promise<number> {
  const file = options.secrets ?? ".env";
  const secrets = await readSecretsFile(file, options.secrets !== undefined);
  const paths = Object.keys(secrets);
  options.say(`development only: secrets of ${file} in memory, over plain HTTP on loopback`);
  await using store = start(secrets, options.port);
  const environment = wrapperEnvironment(options.environment, store, paths);
  // This process may be killed, and its store with it: its children end then.
  const words = [`--end-with-parent=${process.pid}`, "--", ...program];
  return await runWrapper([options.wrapper, ...words], environment, options.signals);
}

function start(secrets: Parameters<typeof startDevStore>[0]["secrets"], port: number): DevStore {
  try {
    return startDevStore({ secrets, port });
  } catch (error) {
    if (error instanceof DevStoreError) throw new CliError("STORE_FAILED", [error.message], error);
    throw error;
  }
}
