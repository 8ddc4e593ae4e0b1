/** A program that takes secrets from the store to another program, as its documentation says. */
export interface Peer {
  readonly name: string;
  /**
   * The way in which it is used here, for the report: the one that its documentation recommends.
   */
  readonly use: string;
  /** Makes sure that it is there. Throws if it cannot be had, with the reason. */
  readonly obtain: (cache: string) => Tool | Promise<Tool>;
  readonly launch: (tool: Tool, around: Surroundings) => Launch;
}

/** A program that is there. */
export interface Tool {
  /** The command that it begins with. */
  readonly words: readonly string[];
  /** As it says itself. */
  readonly version: string;
}

/** The files and variables of every peer. */
export interface Surroundings {
  /**
   * The address of the store; the value is the field `password` of `secret/data/app` and `kv1/app`.
   */
  readonly address: string;
  /** The token, in a file that is the user's alone. */
  readonly tokenFile: string;
  /** The program that is to have the value in DB_PASSWORD. */
  readonly application: string;
  /** An empty folder: the working directory, HOME and TMPDIR. */
  readonly folder: string;
}

/** The inputs of a peer for one run, and its command. */
export interface Launch {
  /** Contents of configuration files by their name in the folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Several if the peer runs beside the application. */
  readonly commands: readonly Command[];
}

/** One process that is started. */
export interface Command {
  readonly words: readonly string[];
  /** The name of a file that has to be there first. */
  readonly after?: string;
}
