import { join } from "node:path";
import { withHosts } from "@svc/testing";

/** How the command is run. */
export interface SvcRun {
  readonly environment: Readonly<Record<string, string>>;
  /** A file that it finds as /etc/hosts. */
  readonly hosts: string;
  readonly input?: string | Uint8Array<ArrayBuffer>;
  /** Redirections in the words of bash(1), for example `>/dev/full`. */
  readonly redirections?: string;
  /** True if it is the first process of a container: nothing survives it. */
  readonly asContainer?: boolean;
}

/** The end of a command. */
export interface SvcEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Longer than any wait that a test asks for. */
const DEADLINE_MS = 120_000;

export const svcPath = join(import.meta.dirname, "../../dist/bin/svc");

/** Starts the real command. */
export function startSvc(
  words: readonly string[],
  { environment, hosts, input = "", redirections = "", asContainer = false }: SvcRun,
) {
  const redirected = ["bash", "-c", `exec "$0" "$@" ${redirections}`, svcPath, ...words];
  const direct = [svcPath, ...words];
  const run = redirections === "" ? direct : redirected;
  return Bun.spawn([...(asContainer ? contained : []), ...withHosts(hosts, run)], {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/nonexistent", ...environment },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: DEADLINE_MS,
  });
}

/**
 * The kill of this process takes the one below with it, and the kernel all others of its namespace.
 */
const contained = [
  ...["unshare", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])],
  ...["--pid", "--fork", "--kill-child=SIGKILL"],
];

/** Runs the real command to its end. */
export async function runSvc(words: readonly string[], run: SvcRun): Promise<SvcEnd> {
  const child = startSvc(words, run);
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}
