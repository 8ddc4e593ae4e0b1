// Changes its own mask and dispositions, and prints what /proc/self/status shows after each step.
import {
  blockedSignals,
  blockSignals,
  isIgnored,
  SyscallError,
  setBlockedSignals,
  setIgnored,
  signalSet,
} from "../src/index.ts";
import { signalsIn } from "./process-status.ts";

const SIGUSR1 = 10;
const SIGUSR2 = 12;
const SIGKILL = 9;
const SIGTERM = 15;

blockSignals(signalSet([SIGUSR1]));
blockSignals(signalSet([SIGUSR2, 64]));
const blocked = signalsIn("SigBlk");
const readBack = Buffer.compare(blockedSignals(), signalSet(blocked)) === 0;
setBlockedSignals(signalSet([SIGTERM]));
const replaced = signalsIn("SigBlk");
setBlockedSignals(signalSet([]));
const emptied = signalsIn("SigBlk");

const before = isIgnored(SIGUSR1);
setIgnored(SIGUSR1, true);
const set = isIgnored(SIGUSR1);
const inKernel = signalsIn("SigIgn").includes(SIGUSR1);
setIgnored(SIGUSR1, false);
const ignored = { before, set, inKernel, taken: isIgnored(SIGUSR1) };
const uncatchable = messageOf(() => setIgnored(SIGKILL, true));
process.stdout.write(
  JSON.stringify({ blocked, readBack, replaced, emptied, ignored, uncatchable }),
);

function messageOf(action: () => void): string {
  try {
    action();
    return "nothing was thrown";
  } catch (error) {
    if (error instanceof SyscallError) return error.message;
    throw error;
  }
}
