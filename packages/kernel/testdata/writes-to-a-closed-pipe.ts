// Blocks SIGPIPE as the supervisor does, and prints the pending signals after a write without a
// reader.
import {
  blockSignals,
  closeDescriptor,
  makePipe,
  SyscallError,
  setIgnored,
  signalSet,
  writeDescriptor,
  writeIfPossible,
} from "../src/index.ts";
import { signalsIn } from "./process-status.ts";

const SIGPIPE = 13;
const bytes = Uint8Array.of(1);

setIgnored(SIGPIPE, false);
blockSignals(signalSet([SIGPIPE]));
const { readFd, writeFd } = makePipe();
closeDescriptor(readFd);
try {
  writeDescriptor(writeFd, bytes);
} catch (error) {
  if (!(error instanceof SyscallError) || error.code !== "EPIPE") throw error;
}
const raisedByWrite = signalsIn("SigPnd");
writeIfPossible(writeFd, bytes);
const leftByWriteIfPossible = signalsIn("SigPnd");
process.stdout.write(JSON.stringify({ raisedByWrite, leftByWriteIfPossible }));
