import {
  type Description,
  Handle,
  newPipe,
  OpenFile,
  READ_ONLY,
  Socket,
  WRITE_ONLY,
} from "../../machine/descriptions.ts";
import { KernelError, NotModelled } from "../../machine/errors.ts";
import { type Machine, TERMINAL } from "../../machine/machine.ts";
import type { Process } from "../../machine/process.ts";
import { signals } from "../../machine/signals.ts";
import { bytesOf, textOf } from "./bytes.ts";

const TIOCGPGRP = 0x540f;
const TIOCSPGRP = 0x5410;
const SOCK_STREAM = 1;
const SOCK_TYPE_MASK = 0xf;
const F_DUPFD_CLOEXEC = 1030;
const F_GETFD = 1;
const F_SETFD = 2;
const F_GETFL = 3;
const F_SETFL = 4;
const F_ADD_SEALS = 1033;
const FD_CLOEXEC = 1;
const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;
const POLLIN = 1;
const POLLOUT = 4;
const POLLERR = 8;
const POLLHUP = 0x10;
const POLLNVAL = 0x20;

/** Calls about descriptors; close(2), fcntl(2), read(2), poll(2) and others. */
export function descriptorCalls(machine: Machine) {
  return {
    ...placedCalls(machine),
    close: (fd: number) => {
      machine.running.close(fd);
      return 0;
    },
    fcntl: (fd: number, command: number, argument: number | bigint) =>
      control(machine.running, fd, command, Number(argument)),
    pipe2: (fds: Int32Array, flags: number) => {
      const { running } = machine;
      const pipe = newPipe();
      for (const [index, end] of [pipe.reads, pipe.writes].entries()) {
        end.isNonBlocking = (flags & O_NONBLOCK) !== 0;
        fds[index] = running.open(end, (flags & O_CLOEXEC) !== 0);
      }
      return 0;
    },
    read: (fd: number, buffer: ArrayBufferView, count: number | bigint) =>
      readInto(machine, fd, bytesOf(buffer).subarray(0, Number(count))),
    write: (fd: number, buffer: ArrayBufferView, count: number | bigint) =>
      writeFrom(machine, fd, bytesOf(buffer).subarray(0, Number(count))),
    poll: (entries: ArrayBufferView, count: number | bigint, timeoutMs: number) =>
      poll(machine, bytesOf(entries), Number(count), timeoutMs),
    ioctl: (fd: number, request: number, target: Int32Array) =>
      terminalControl(machine, fd, request, target),
    socket: (_: number, kind: number) => {
      const isStream = (kind & SOCK_TYPE_MASK) === SOCK_STREAM;
      const socket = isStream ? new Socket() : new Handle("socket:");
      socket.isNonBlocking = (kind & O_NONBLOCK) !== 0;
      return machine.running.open(socket, (kind & O_CLOEXEC) !== 0);
    },
    sendto: (
      _fd: number,
      bytes: ArrayBufferView,
      count: number | bigint,
      _flags: number,
      address: ArrayBufferView,
    ) => {
      const hear = machine.receivers.get(textOf(bytesOf(address).subarray(2)));
      if (hear === undefined) throw new KernelError("ENOENT");
      hear(new TextDecoder().decode(bytesOf(bytes).subarray(0, Number(count))));
      return Number(count);
    },
    epoll_create1: () => machine.running.open(new Handle("anon_inode:[eventpoll]"), true),
  };
}

/** Calls about positions of a file; pread(2), lseek(2) and others. */
function placedCalls(machine: Machine) {
  const file = (fd: number): OpenFile => {
    const description = machine.running.description(fd);
    if (!(description instanceof OpenFile)) throw new KernelError("ESPIPE");
    return description;
  };
  /** One that has positions: secret memory has none. */
  const placed = (fd: number, refused: number): OpenFile => {
    const open = file(fd);
    if (open.access === refused) throw new KernelError("EBADF");
    if (open.inode.isSecret) throw new KernelError("ESPIPE");
    return open;
  };
  return {
    pread: (fd: number, buffer: ArrayBufferView, count: number | bigint, at: number | bigint) => {
      const bytes = placed(fd, WRITE_ONLY).inode.readAt(Number(at), machine.someOf(Number(count)));
      machine.atBytes?.(bytes);
      bytesOf(buffer).set(bytes);
      return bytes.length;
    },
    pwrite: (fd: number, buffer: ArrayBufferView, count: number | bigint, at: number | bigint) =>
      placed(fd, READ_ONLY).inode.writeAt(
        Number(at),
        bytesOf(buffer).subarray(0, machine.someOf(Number(count))),
      ),
    lseek: (fd: number, offset: number | bigint, whence: number) => {
      const open = file(fd);
      const from = [0, open.position, open.inode.size][whence] ?? 0;
      if (from + Number(offset) < 0) throw new KernelError("EINVAL");
      open.position = from + Number(offset);
      return open.position;
    },
    ftruncate: (fd: number, length: number | bigint) => {
      const open = machine.running.description(fd);
      if (!(open instanceof OpenFile) || open.access === READ_ONLY || length < 0) {
        throw new KernelError("EINVAL");
      }
      const { inode } = open;
      // A memfd_secret takes its size once; memfd_secret(2).
      if (inode.isSecret && inode.bytes.length > 0) throw new KernelError("EINVAL");
      inode.resize(Number(length));
      return 0;
    },
  };
}

/** The foreground group of a terminal; tty_ioctl(4). */
function terminalControl(
  { running, terminal, trace }: Machine,
  fd: number,
  request: number,
  target: Int32Array,
): number {
  const file = running.description(fd);
  const isTerminal = file instanceof OpenFile && file.inode.path === TERMINAL;
  if (terminal === undefined || !isTerminal) throw new KernelError("ENOTTY");
  if (request === TIOCGPGRP) target[0] = terminal.foreground;
  else if (request === TIOCSPGRP) {
    terminal.foreground = target[0] ?? 0;
    trace.note(`terminal: ${terminal.foreground}`);
  } else throw new NotModelled(`ioctl ${request}`);
  return 0;
}

function control(process: Process, fd: number, command: number, argument: number): number {
  const description = process.description(fd);
  switch (command) {
    case F_DUPFD_CLOEXEC:
      if (argument >= process.descriptorLimit) throw new KernelError("EINVAL");
      return process.open(description, true, argument);
    case F_GETFD:
      return process.closesOnExec(fd) ? FD_CLOEXEC : 0;
    case F_SETFD:
      process.setCloseOnExec(fd, (argument & FD_CLOEXEC) !== 0);
      return 0;
    case F_GETFL:
      return description.access | (description.isNonBlocking ? O_NONBLOCK : 0);
    case F_SETFL:
      description.isNonBlocking = (argument & O_NONBLOCK) !== 0;
      return 0;
    case F_ADD_SEALS:
      return 0;
    default:
      throw new NotModelled(`fcntl ${command}`);
  }
}

/** Waits on a description as a blocking call does. */
export function waitFor(machine: Machine, description: Description, isReady: () => boolean): void {
  if (isReady()) return;
  if (description.isNonBlocking) throw new KernelError("EAGAIN");
  machine.wait(isReady);
}

function readInto(machine: Machine, fd: number, target: Uint8Array): number {
  const description = machine.running.description(fd);
  if (description.access === WRITE_ONLY) throw new KernelError("EBADF");
  if (target.length === 0 && !(description instanceof OpenFile)) return 0;
  waitFor(machine, description, () => description.isReadable());
  const arrived = description.read(machine.someOf(target.length));
  if (arrived === "end" || arrived === undefined) return 0;
  machine.atBytes?.(arrived);
  target.set(arrived);
  return arrived.length;
}

function writeFrom(machine: Machine, fd: number, bytes: Uint8Array): number {
  const { running } = machine;
  const description = running.description(fd);
  if (description.access === READ_ONLY) throw new KernelError("EBADF");
  const some = bytes.subarray(0, machine.someOf(bytes.length));
  let taken: number | undefined;
  try {
    waitFor(machine, description, () => {
      taken = description.write(some);
      return taken !== undefined;
    });
    return taken ?? 0;
  } catch (error) {
    // The kernel raises it together with EPIPE; write(2).
    if (error instanceof KernelError && error.message === "EPIPE") {
      machine.kill(running, { number: signals.SIGPIPE, from: "kernel" });
    }
    throw error;
  }
}

/** Entries are struct pollfd: a descriptor, the wanted events, the present ones. */
function poll(machine: Machine, entries: Uint8Array, count: number, timeoutMs: number): number {
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
  const { running } = machine;
  const look = () => {
    let found = 0;
    for (let at = 0; at < count * 8; at += 8) {
      const present = eventsOf(running, view.getInt32(at, true), view.getInt16(at + 4, true));
      view.setInt16(at + 6, present, true);
      if (present !== 0) found++;
    }
    return found;
  };
  const untilUs = timeoutMs < 0 ? Number.POSITIVE_INFINITY : machine.nowUs + timeoutMs * 1000;
  machine.wait(() => look() > 0, untilUs);
  return look();
}

function eventsOf(process: Process, fd: number, wanted: number): number {
  if (fd < 0) return 0;
  if (!process.descriptors.includes(fd)) return POLLNVAL;
  const description = process.description(fd);
  const readable = (wanted & POLLIN) !== 0 && description.pollsIn() ? POLLIN : 0;
  const writable = (wanted & POLLOUT) !== 0 && description.isWritable() ? POLLOUT : 0;
  const loss = description.lost();
  const lost = loss === undefined ? 0 : { "hang-up": POLLHUP, error: POLLERR }[loss];
  return readable | writable | lost;
}
