import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { childrenOf } from "../../harness/processes/process-facts.ts";

const svc = join(import.meta.dirname, "../../../dist/bin/svc");

/** A program that a wrapper has started with secrets, and has had protected. */
export interface WrappedProgram {
  readonly stdout: ReadableStream<Uint8Array>;
  /** Whether it is still there. */
  readonly runs: () => boolean;
  /** The pid of the first process below the wrapper, which runs the program. */
  readonly pid: () => number | undefined;
  /** The log of the wrapper and the program. */
  readonly log: () => string;
}

/** The secrets of the programs. */
export const password = "correct-horse-battery";

/** Starts a program under `svc dev`; it ends with the guest. */
export function startWrapped(
  words: readonly string[],
  { folder, socketPath }: { readonly folder: string; readonly socketPath: string },
  environment: Readonly<Record<string, string>> = {},
): WrappedProgram {
  const file = join(folder, "secrets.env");
  writeFileSync(file, `DB_PASSWORD=${password}\n`);
  const child = Bun.spawn([svc, "dev", "--secrets", file, "--", ...words], {
    cwd: folder,
    env: {
      ...process.env,
      ...environment,
      SVC_EBPF_AGENT_ADDR: `unix://${socketPath}`,
      // A guest is slow: the wrapper goes on without an agent that takes long, unless it is told to
      // wait.
      SVC_REQUIRE_AGENT: "true",
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-4000);
    }
  })();
  return {
    stdout: child.stdout,
    runs: () => child.exitCode === null,
    pid: () => programBelow(child.pid),
    log: () => text,
  };
}

/** `svc dev` starts the wrapper, and the wrapper the program. */
function programBelow(svc: number): number | undefined {
  const [wrapper] = childrenOf(svc);
  return wrapper === undefined ? undefined : childrenOf(wrapper)[0];
}
