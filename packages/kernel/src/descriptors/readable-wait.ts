import { connect, type Socket } from "node:net";
import { libc } from "#native";
import { checked, SyscallError } from "../libc/syscall-error.ts";
import { closeDescriptor, duplicateFrom } from "./descriptors.ts";

const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
/** struct epoll_event, which is packed to 12 bytes on x86-64 alone; epoll_ctl(2). */
const EVENT_BYTES = 16;
const FIRST_FD = 3;
const WITHOUT_DESCRIPTORS_MS = 20;

/**
 * Waits until one of some descriptors can be read: rings of BPF, listening sockets. It needs no
 * thread and no timer; epoll(7).
 */
export class ReadableWait implements Disposable {
  readonly #epoll: number;

  /** @throws SyscallError `EPERM` of a descriptor that cannot be waited for, as a file's */
  constructor(fds: readonly number[]) {
    this.#epoll = checked("epoll_create1", libc.epoll_create1(EPOLL_CLOEXEC));
    try {
      for (const fd of fds) this.#add(fd);
    } catch (error) {
      closeDescriptor(this.#epoll);
      throw error;
    }
  }

  /**
   * Resolves once one can be read, or the signal is aborted, and now and then too soon: if this
   * process has no descriptor left, after 20 ms.
   *
   * The runtime's event loop waits for the epoll descriptor as for a socket. Once it is ready, the
   * runtime finds that it is not a socket, and closes it.
   */
  async untilReadable(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const fd = this.#duplicate();
    if (fd === undefined) {
      await new Promise((resolve) => setTimeout(resolve, WITHOUT_DESCRIPTORS_MS));
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    // The runtime takes the descriptor over; its types do not know that.
    const socket: Socket = connect({ fd } as never);
    const end = () => socket.destroy();
    socket.on("error", end);
    socket.once("close", resolve);
    signal.addEventListener("abort", end, { once: true });
    await promise;
    signal.removeEventListener("abort", end);
  }

  [Symbol.dispose](): void {
    closeDescriptor(this.#epoll);
  }

  #duplicate(): number | undefined {
    try {
      return duplicateFrom(this.#epoll, FIRST_FD);
    } catch (error) {
      if (error instanceof SyscallError && error.code === "EMFILE") return undefined;
      throw error;
    }
  }

  #add(fd: number): void {
    const event = new Uint8Array(EVENT_BYTES);
    new DataView(event.buffer).setUint32(0, EPOLLIN, true);
    checked("epoll_ctl", libc.epoll_ctl(this.#epoll, EPOLL_CTL_ADD, fd, event));
  }
}
