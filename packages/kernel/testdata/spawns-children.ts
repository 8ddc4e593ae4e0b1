// Starts a child in the way that its argument names, and prints the child's output.
import {
  closeDescriptor,
  makePipe,
  readDescriptor,
  SyscallError,
  signalSet,
} from "../src/index.ts";
import { changesUntil } from "./await-changes.ts";
import { openDescriptors } from "./open-descriptors.ts";
import { shell, spawnCommand } from "./spawn-command.ts";

const SIGUSR1 = 10;

const cases: Readonly<Record<string, () => Promise<unknown>>> = {
  "own group": () =>
    outputOf((out) => shell(`read -r pid _ _ _ group _ </proc/$$/stat; echo $pid $group >&${out}`)),
  // Not by a shell: dash clears its mask.
  mask: () => outputOf((out) => copies("/proc/self/status", out)),
  descriptors: () => outputOf((out) => shell(`ls /proc/self/fd >&${out}`)),
  environment: () => outputOf((out) => copies("/proc/self/environ", out)),
  "missing program": async () => {
    try {
      return spawnCommand(["/nonexistent"]);
    } catch (error) {
      if (error instanceof SyscallError) return error.message;
      throw error;
    }
  },
};

const before = openDescriptors().length;
const result = await cases[process.argv[2] ?? ""]?.();
const leaked = openDescriptors().length - before;
process.stdout.write(JSON.stringify({ result, leaked }));

function copies(path: string, out: number): readonly string[] {
  return ["/bin/dd", `if=${path}`, `of=/proc/self/fd/${out}`, "status=none"];
}

async function outputOf(command: (out: number) => readonly string[]): Promise<unknown> {
  const other = makePipe();
  const { readFd, writeFd } = makePipe();
  const pid = spawnCommand(command(writeFd), {
    inheritFds: [writeFd],
    blockedSignals: signalSet([SIGUSR1]),
  });
  await changesUntil((change) => change.pid === pid);
  const read = readDescriptor(readFd, 65_536);
  for (const fd of [readFd, writeFd, other.readFd, other.writeFd]) closeDescriptor(fd);
  const text = read.kind === "bytes" ? new TextDecoder().decode(read.bytes) : read.kind;
  return { pid, out: writeFd, words: text.split(/[\s\0]+/).filter((word) => word !== "") };
}
