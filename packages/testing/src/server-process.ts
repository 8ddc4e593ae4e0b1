import { closeSync, openSync } from "node:fs";
import { runsAsRoot } from "./runs-as-root.ts";
import { withHosts } from "./with-hosts.ts";

/** A server that runs as a child of ours. */
export interface ServerProcess {
  /** Its output so far, both streams, for failure messages. */
  readonly output: () => string;
  /** The exit code once it has ended; undefined while it runs. */
  readonly exitCode: () => number | undefined;
  /** Sends it a signal; SIGTERM to have it end as it should. */
  readonly signal: (name: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGSTOP" | "SIGCONT") => void;
  /** Resolved with the exit code when it has ended; 128 and the number if a signal ended it. */
  readonly ended: Promise<number>;
  /** The process's id. */
  readonly pid: number;
  /** Kills it by its pid and waits until it is gone. */
  readonly kill: () => Promise<void>;
}

/** What to run and how. */
export interface ServerCommand {
  readonly binary: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** A file that the server finds as /etc/hosts. */
  readonly hosts?: string | undefined;
  /**
   * Puts words before the command that change its surroundings: limits, mounts, its output. They
   * run as this process's user.
   */
  readonly within?: ((words: readonly string[]) => readonly string[]) | undefined;
}

/** The user of servers that root starts: uid 65534. */
export const NOBODY = 65_534;

/**
 * Starts a server, as `nobody` when we are root. The binary is passed as an open descriptor: it may
 * be below a home folder that uid 65534 may not enter. The kernel kills the server when we die.
 */
export function startServer(command: ServerCommand): ServerProcess {
  const descriptor = openSync(command.binary, "r");
  try {
    const { hosts, within } = command;
    const plain = [...dropPrivileges(), "/proc/self/fd/3", ...command.arguments];
    const words = within === undefined ? plain : within(plain);
    const child = Bun.spawn([...(hosts === undefined ? words : withHosts(hosts, words))], {
      stdio: ["ignore", "pipe", "pipe", descriptor],
      cwd: command.folder,
      env: { ...command.env },
    });
    const output: string[] = [];
    const drained = Promise.all([collect(child.stdout, output), collect(child.stderr, output)]);
    return {
      output: () => output.join(""),
      exitCode: () => child.exitCode ?? undefined,
      signal: (name) => child.kill(name),
      ended: child.exited,
      pid: child.pid,
      kill: async () => {
        child.kill("SIGKILL");
        await Promise.all([child.exited, drained]);
      },
    };
  } finally {
    closeSync(descriptor);
  }
}

/** util-linux setpriv, which every Debian has; it sets the death signal after the user. */
function dropPrivileges(): readonly string[] {
  const dieWithUs = ["setpriv", "--pdeathsig", "KILL"];
  if (!runsAsRoot()) return dieWithUs;
  const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--no-new-privs"];
  return [...dieWithUs, ...user];
}

async function collect(stream: ReadableStream<Uint8Array>, into: string[]): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) into.push(decoder.decode(chunk, { stream: true }));
}
