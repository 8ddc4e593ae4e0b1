import type { Programs } from "./compile-programs.ts";
import type { Store } from "./start-store.ts";

/** One way to start the program. */
export interface Scenario {
  readonly name: string;
  /** The command before the program; empty for the bare program. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The store's delay before it answers, if it is a part of the time. */
  readonly storeDelayMs: number;
  /** A file that is not in the page cache when the start begins. */
  readonly coldFile?: string;
}

/** Everything that scenarios are made of. */
export interface Surroundings {
  readonly wrapper: string;
  /** A copy that is started from the disk each time. */
  readonly coldWrapper: string;
  /** Another wrapper to measure beside it. */
  readonly beside?: string | undefined;
  readonly envconsul?: Envconsul | undefined;
  readonly programs: Programs;
  readonly store: Store;
  readonly caPath: string;
  readonly jwtPath: string;
  readonly openBao?: { readonly address: string; readonly token: string };
}

/** Another program that fetches values and starts a program, with a setting for each row. */
export interface Envconsul {
  readonly program: string;
  /** A copy that is started from the disk each time. */
  readonly coldProgram: string;
  /** The configuration file that asks for that number of paths. */
  readonly configuration: (paths: number) => string;
}
