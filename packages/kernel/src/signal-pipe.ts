import { libc } from "#native";
import { announceByChildSignal } from "./announce.ts";
import { cString } from "./c-strings.ts";
import { makePipe, readDescriptor } from "./descriptors.ts";
import { signalHandler } from "./signal-handler.ts";
import { checked } from "./syscall-error.ts";

const SA_RESTART = 0x1000_0000n;
const SIG_DFL = 0n;
const SIG_IGN = 1n;
const SIGACTION_WORDS = 19;
const FLAGS_WORD = 17;
const BYTES_PER_ARRIVAL = 8;
const MAX_ARRIVALS = 512;

/**
 * Catches signals that Node's and Bun's names do not know (SIGSTKFLT, the real-time signals). All of
 * them share one pipe, in the order of their arrival, and each arrival raises SIGCHLD.
 *
 * A handler must be a C function, and JS has none that may run there: it is a few bytes of machine
 * code (signal-handler.ts).
 */
export class SignalPipe {
  readonly #readFd: number;
  readonly #writeFd: number;
  readonly #eventfdWrite = BigInt(libc.dlsym(0, cString("eventfd_write")));
  #handler: bigint | undefined;

  /** @throws SyscallError `EMFILE` where RLIMIT_NOFILE leaves no two descriptors. */
  constructor() {
    const { readFd, writeFd } = makePipe({ nonBlocking: true });
    this.#readFd = readFd;
    this.#writeFd = writeFd;
    announceByChildSignal(readFd);
  }

  /**
   * Catches a signal from now on. One that the runtime sends to its own threads stays the runtime's:
   * JavaScriptCore's collector stops the other threads with SIGPWR, and waits for ever for the one
   * that does not hear of it.
   */
  catch(signal: number): void {
    const action = new BigUint64Array(SIGACTION_WORDS);
    checked("sigaction", libc.sigaction(signal, null, action));
    const runtimes = action[0] ?? SIG_DFL;
    if (runtimes === SIG_DFL || runtimes === SIG_IGN) {
      action.fill(0n);
      action[0] = this.#handler ??= signalHandler(this.#parts);
      action[FLAGS_WORD] = SA_RESTART;
    } else {
      // Flags and mask stay as its owner wants them.
      action[0] = signalHandler({ ...this.#parts, fromThisProcess: runtimes });
    }
    checked("sigaction", libc.sigaction(signal, action, null));
  }

  /** The numbers of the signals that have arrived since the last call, in their order. */
  read(): readonly number[] {
    const result = readDescriptor(this.#readFd, MAX_ARRIVALS * BYTES_PER_ARRIVAL);
    if (result.kind !== "bytes") return [];
    const { buffer, byteOffset, length } = result.bytes;
    const view = new DataView(buffer, byteOffset, length);
    return Array.from({ length: Math.floor(length / BYTES_PER_ARRIVAL) }, (_, index) =>
      Number(view.getBigUint64(index * BYTES_PER_ARRIVAL, true)),
    );
  }

  get #parts() {
    return { writeFd: this.#writeFd, eventfdWrite: this.#eventfdWrite };
  }
}
