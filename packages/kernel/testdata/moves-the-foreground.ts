// Run on a terminal: gives the foreground to a child's group and takes it back.
import {
  foregroundGroup,
  isTerminal,
  processGroup,
  sendSignal,
  setForegroundGroup,
} from "../src/index.ts";
import { changesUntil } from "./await-changes.ts";
import { shell, spawnCommand } from "./spawn-command.ts";

const SIGKILL = 9;

const ours = processGroup();
const ownAtFirst = foregroundGroup(0) === ours;
const pid = spawnCommand(shell("sleep 60"));
const moved = setForegroundGroup(0, pid);
const childInFront = foregroundGroup(0) === pid;
// From the background now: without SIGTTOU blocked this would stop us.
const takenBack = setForegroundGroup(0, ours);
const ownAtLast = foregroundGroup(0) === ours;
const refusesStrangeGroup = !setForegroundGroup(0, 1);
sendSignal(-pid, SIGKILL);
await changesUntil((change) => change.pid === pid);
process.stdout.write(
  JSON.stringify({
    isTerminal: isTerminal(0),
    ownAtFirst,
    moved,
    childInFront,
    takenBack,
    ownAtLast,
    refusesStrangeGroup,
  }),
);
