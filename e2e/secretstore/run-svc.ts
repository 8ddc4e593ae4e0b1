import { join } from "node:path";
import { withHosts } from "@svc/testing";

/** How the command is run. */
export interface SvcRun {
  readonly environment: Readonly<Record<string, string>>;
  /** A file that it finds as /etc/hosts. */
  readonly hosts: string;
  readonly input?: string | Uint8Array<ArrayBuffer>;
}

/** What a command came to. */
export interface SvcEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Longer than any wait that a test asks for. */
const DEADLINE_MS = 120_000;

export const svcPath = join(import.meta.dirname, "../../dist/bin/svc");

/** Starts the real command. */
export function startSvc(words: readonly string[], { environment, hosts, input = "" }: SvcRun) {
  return Bun.spawn([...withHosts(hosts, [svcPath, ...words])], {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/nonexistent", ...environment },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: DEADLINE_MS,
  });
}

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
