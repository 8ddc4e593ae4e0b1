import { announceByChildSignal } from "./announce.ts";
import { cString } from "./c-strings.ts";
import { chainedHandler } from "./chained-handler.ts";
import { closeDescriptor, makePipe } from "./descriptors.ts";
import { libc } from "./libc.ts";
import { checked } from "./syscall-error.ts";

const F_GETFD = 1;
const O_CLOEXEC = 0o2000000;
const SA_RESTART = 0x1000_0000n;
const SIG_DFL = 0n;
const SIG_IGN = 1n;
const SIGACTION_WORDS = 19;
const FLAGS_WORD = 17;
const NOTHING = -1;
const F_DUPFD_CLOEXEC = 1030;
const FIRST_FD_ABOVE_SIGNALS = 65;

/**
 * Catches a signal that Node's and Bun's names do not know (SIGSTKFLT, the real-time signals). Each
 * arrival makes eight bytes readable at the returned descriptor, which the caller owns, and raises SIGCHLD.
 *
 * A handler must be a C function, and JS has none that may run there. libc has one that fits:
 * eventfd_write(int fd, eventfd_t value) is a single write(2) of eight bytes, safe in a handler
 * (signal-safety(7)). The kernel calls it with the signal's number as its first argument, so the
 * pipe's writing end is put at the descriptor of that number.
 *
 * A signal that the runtime sends itself stays the runtime's: JavaScriptCore's collector stops the other
 * threads with SIGPWR, and waits for ever for the one that does not hear of it.
 *
 * @returns undefined where that descriptor is taken already: the signal keeps its action then.
 */
export function catchSignal(signal: number): number | undefined {
  if (libc.fcntl(signal, F_GETFD, 0) !== NOTHING) return undefined;
  const { readFd, writeFd } = makePipe({ nonBlocking: true });
  const movedReadFd = moveOutOfTheWay(readFd);
  const movedWriteFd = moveOutOfTheWay(writeFd);
  checked("dup3", libc.dup3(movedWriteFd, signal, O_CLOEXEC));
  closeDescriptor(movedWriteFd);
  checked("sigaction", libc.sigaction(signal, actionFor(signal), null));
  announceByChildSignal(movedReadFd);
  return movedReadFd;
}

function actionFor(signal: number): BigUint64Array {
  const eventfdWrite = BigInt(libc.dlsym(0, cString("eventfd_write")));
  const action = new BigUint64Array(SIGACTION_WORDS);
  checked("sigaction", libc.sigaction(signal, null, action));
  const runtimes = action[0] ?? SIG_DFL;
  if (runtimes === SIG_DFL || runtimes === SIG_IGN) {
    action.fill(0n);
    action[0] = eventfdWrite;
    action[FLAGS_WORD] = SA_RESTART;
  } else {
    // Flags and mask stay as its owner wants them.
    action[0] = chainedHandler({ fromOthers: eventfdWrite, fromThisProcess: runtimes });
  }
  return action;
}

/** A new pipe may sit on the very numbers that signals need: it goes above all of them. */
function moveOutOfTheWay(fd: number): number {
  const moved = checked("fcntl", libc.fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD_ABOVE_SIGNALS));
  closeDescriptor(fd);
  return moved;
}
