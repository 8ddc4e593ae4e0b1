/** A launch chain: the words that are started, and the programs that they lead to. */
export interface Chain {
  readonly name: string;
  /**
   * The chain runs in a separate folder, which holds every worker. Here, in files and in
   * variables FOLDER stands for its path, and PORT for a port that is free.
   */
  readonly words: readonly string[];
  readonly needs?: readonly Need[];
  /** Files of the folder by their names; a name that ends with `!` is executable. */
  readonly files?: Readonly<Record<string, string>>;
  /** Copies of a worker under other names: `{ daemon: "worker-c" }`. */
  readonly copies?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The number of processes that prove that they have the values; by default one. */
  readonly workers?: number;
  /** A command that asks a server until its worker has proved; it runs in the folder. */
  readonly ask?: readonly string[];
  /**
   * The way to end the chain, by default SIGTERM. `file` if the test needs the worker's own end,
   * `both` if a server waits for its worker.
   */
  readonly endedBy?: "SIGTERM" | "file" | "both";
  /** Why processes of the chain are traced, by another than the wrapper. */
  readonly traced?: string;
  /** Why the bare chain shows no value in /proc/PID/environ. */
  readonly hidden?: string;
  /** Why a value stays visible, and the words of the log's warning that must say so. */
  readonly unprotected?: { readonly because: string; readonly warning: string };
  /**
   * The place of a static program in the chain. If no execve is announced, the first one is
   * traced for life or has plain values, and a child has plain values. The log says so at the
   * start.
   */
  readonly isStatic?: "first" | "child";
  /** Why the chain cannot run in a place. */
  readonly not?: Partial<Readonly<Record<PlaceName, string>>>;
}

/** The surroundings of a run. */
export type PlaceName = "root" | "no_new_privs" | "unprivileged" | "without ptrace";

/** A part of a chain, and its source: a file of a Debian package, or a cached folder. */
export type Need = "python packages" | "node packages" | "systemd" | "dotnet" | `/${string}`;
