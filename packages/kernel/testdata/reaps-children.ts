// Runs the case that its argument names, and prints nextChildChange's result for each child.
import {
  adoptOrphans,
  type ChildChange,
  nextChildChange,
  sendSignal,
  setIgnored,
} from "../src/index.ts";
import { changesUntil } from "./await-changes.ts";
import { openDescriptors } from "./open-descriptors.ts";
import { shell, spawnCommand } from "./spawn-command.ts";

const SIGCONT = 18;
const SIGSTOP = 19;
const SIGKILL = 9;
const SIGPIPE = 13;

const cases: Readonly<Record<string, () => Promise<unknown>>> = {
  "no child": async () => nextChildChange() ?? "nothing",
  "a child that runs": async () => {
    const pid = spawnCommand(shell("sleep 60"));
    const change = nextChildChange() ?? "nothing";
    sendSignal(-pid, SIGKILL);
    await untilEnd(pid);
    return change;
  },
  "every exit code": async () => {
    const codes: number[] = [];
    for (let code = 0; code < 256; code++) {
      const changes = await untilEnd(spawnCommand(shell(`exit ${code}`)));
      for (const change of changes) if (change.kind === "exited") codes.push(change.code);
    }
    return codes;
  },
  "every deadly signal": async () => {
    // Bun ignores it, and a child inherits that.
    setIgnored(SIGPIPE, false);
    const signals: unknown[] = [];
    for (const signal of [1, 2, 3, 6, 9, 11, 13, 14, 15, 31]) {
      signals.push(
        ...(await untilEnd(spawnCommand(shell(`kill -${signal} $$; sleep 60`)))).map(bare),
      );
    }
    return signals;
  },
  "stop and continue": async () => {
    const pid = spawnCommand(shell("sleep 60"));
    sendSignal(pid, SIGSTOP);
    const stopped = await changesUntil(({ kind }) => kind === "stopped");
    sendSignal(pid, SIGCONT);
    const continued = await changesUntil(({ kind }) => kind === "continued");
    sendSignal(-pid, SIGKILL);
    return [...stopped, ...continued, ...(await untilEnd(pid))].map(bare);
  },
  "an orphan": async () => {
    adoptOrphans();
    const pid = spawnCommand(shell("(exec sh -c 'kill -15 $$') & exit 3"));
    const first = await changesUntil(isEnd);
    const second = await changesUntil(isEnd);
    const ends = [...first, ...second];
    return {
      ours: ends.filter((change) => change.pid === pid).map(bare),
      orphan: ends.filter((change) => change.pid !== pid).map(bare),
    };
  },
};

const before = openDescriptors().length;
const result = await cases[process.argv[2] ?? ""]?.();
const leaked = openDescriptors().length - before;
process.stdout.write(JSON.stringify({ result, leaked }));

function untilEnd(pid: number): Promise<readonly ChildChange[]> {
  return changesUntil((change) => change.pid === pid && isEnd(change));
}

function isEnd({ kind }: ChildChange): boolean {
  return kind === "exited" || kind === "killed";
}

function bare({ pid: _, ...change }: ChildChange): unknown {
  return change;
}
