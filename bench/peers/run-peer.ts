import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import type { Canaries } from "./count-copies.ts";
import type { Command, Peer, Surroundings, Tool } from "./peer.ts";
import { executableOf, processTree } from "./process-tree.ts";
import { type Found, searchTree } from "./search-tree.ts";

const DEADLINE_MS = 30_000;
/** Buffers of the delivery may be freed in this time; later ones stay. */
const IDLE_MS = 1000;
const STOP_MS = 10_000;

/** A command that was started. */
interface Started {
  readonly child: Bun.Subprocess;
  readonly output: () => string;
}

/**
 * Runs a peer until the application has its value, waits a second, and searches; nothing of it is
 * left then. Throws its output if the application does not get the value.
 */
export async function runPeer(
  { launch }: Peer,
  tool: Tool,
  around: Omit<Surroundings, "folder">,
  canaries: Canaries,
): Promise<Found> {
  using place = temporaryFolder();
  const folder = place.path;
  const { files = {}, env = {}, commands } = launch(tool, { ...around, folder });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  const all: Started[] = [];
  try {
    for (const command of commands) {
      await fileIsThere(command, folder, all);
      all.push(start(command, folder, env));
    }
    await soon(all, `holds ${canaries.value.length}`, (text) => text.includes(holds(canaries)));
    await Bun.sleep(IDLE_MS);
    const tree = all.flatMap(({ child }) => processTree(child.pid));
    const { application, tokenFile } = around;
    return searchTree({ tree, application, folder, given: [tokenFile] }, canaries);
  } finally {
    await endAll(all);
  }
}

/** The application's output once it has the value. */
function holds({ value }: Canaries): string {
  return `holds ${value.length}\n`;
}

async function fileIsThere({ after }: Command, folder: string, all: readonly Started[]) {
  if (after !== undefined) await soon(all, `file ${after}`, () => existsSync(join(folder, after)));
}

/** Waits for a condition on the output of all. */
async function soon(
  all: readonly Started[],
  what: string,
  holdsFor: (output: string) => boolean,
): Promise<void> {
  const output = () => all.map((one) => one.output()).join("");
  try {
    await waitFor(() => holdsFor(output()), { deadlineMs: DEADLINE_MS, what });
  } catch (cause) {
    throw new Error(`wait for ${what}: ${output().trim().split("\n").slice(-3).join(" / ")}`, {
      cause,
    });
  }
}

function start({ words }: Command, folder: string, env: Readonly<Record<string, string>>): Started {
  const output: string[] = [];
  const child = Bun.spawn([...words], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", HOME: folder, TMPDIR: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  void collect(child.stdout, output);
  void collect(child.stderr, output);
  return { child, output: () => output.join("") };
}

/** Asks first, so that each process ends and reaps its children. The rest is killed. */
async function endAll(all: readonly Started[]): Promise<void> {
  const pids = all.flatMap(({ child }) => processTree(child.pid)).map(({ pid }) => pid);
  const ended = () => pids.every((pid) => executableOf(pid) === undefined);
  for (const { child } of all) child.kill("SIGTERM");
  try {
    await waitFor(ended, { deadlineMs: STOP_MS, what: "every process of the peer to stop" });
  } catch {
    for (const pid of pids.filter((each) => executableOf(each) !== undefined)) kill(pid);
    await waitFor(ended, { deadlineMs: STOP_MS, what: "every process of the peer to be killed" });
  }
  await Promise.all(all.map(({ child }) => child.exited));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in between.
  }
}

async function collect(stream: ReadableStream<Uint8Array>, into: string[]): Promise<void> {
  for await (const chunk of stream) into.push(Buffer.from(chunk).toString());
}
