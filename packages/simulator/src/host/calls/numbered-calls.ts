import { Handle, OpenFile, Socket } from "../../machine/descriptions.ts";
import { KernelError, NotModelled, ProcessOver } from "../../machine/errors.ts";
import { Inode } from "../../machine/inode.ts";
import type { Machine } from "../../machine/machine.ts";
import type { Process } from "../../machine/process.ts";
import { signals } from "../../machine/signals.ts";
import { waitFor } from "./descriptor-calls.ts";
import { send } from "./signal-calls.ts";

const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const SCM_RIGHTS = 1;
const TMPFS_MAGIC = 0x0102_1994n;
const CONTROL_DESCRIPTOR = 16;
const DIRENT_LENGTH = 16;
const DIRENT_NAME = 19;

/** Calls by their numbers on x86-64; syscall(2). */
export function numberedCalls(machine: Machine) {
  const table: Readonly<Record<number, (...args: readonly number[]) => number>> = {
    // sched_yield
    24: () => 0,
    // connect
    42: (fd = -1, address = 0, length = 0) => connect(machine, fd, address, length),
    // sendmsg
    46: (fd = -1, header = 0, flags = 0) => sendMessage(machine, fd, header, flags),
    // recvmsg
    47: (fd = -1, header = 0, flags = 0) => receiveMessage(machine, fd, header, flags),
    // socketpair
    53: (_domain = 0, _kind = 0, _protocol = 0, target = 0) => {
      const { running } = machine;
      const fds = Socket.pair().map((socket) => running.open(socket, true));
      write32(running, target, fds);
      return 0;
    },
    // execve
    59: (path = 0, argv = 0, envp = 0) => {
      const { running } = machine;
      const { memory } = running;
      const words = { argv: vector(running, argv), environment: vector(running, envp) };
      machine.execute(running, new TextDecoder().decode(memory.string(path)), words);
      throw new ProcessOver();
    },
    // rt_sigaction
    13: () => 0,
    // rt_sigqueueinfo
    129: (pid = 0, number = 0, info = 0) => {
      const bytes = machine.running.memory.view(info, 32);
      const value = new DataView(bytes.buffer, bytes.byteOffset, 32).getBigUint64(24, true);
      send(machine, pid, number, value);
      return 0;
    },
    // fstatfs: each file is in memory
    138: (_fd = -1, target = 0) => {
      const bytes = machine.running.memory.view(target, 8);
      viewOf(bytes).setBigInt64(0, TMPFS_MAGIC, true);
      return 0;
    },
    // getdents64
    217: (fd = -1, target = 0, length = 0) => listNames(machine, fd, target, length),
    // pidfd_open
    434: (pid = 0) => openProcess(machine, pid),
    // close_range
    436: () => 0,
    // memfd_secret
    447: () => {
      const { running, files } = machine;
      const inode = new Inode(files.newNumber(), "/secretmem", "regular", { isSecret: true });
      return running.open(new OpenFile(inode), true);
    },
  };
  return (number: number, ...args: readonly (number | bigint)[]): number => {
    const call = table[number];
    if (call === undefined) throw new NotModelled(`system call ${number}`);
    return call(...args.map(Number));
  };
}

function connect({ running, servers }: Machine, fd: number, address: number, length: number) {
  const name = running.memory.view(address, length).subarray(2);
  const accept = servers.get(new TextDecoder().decode(name).replace(/\0+$/, ""));
  if (accept === undefined) throw new KernelError("ECONNREFUSED");
  accept(socketAt(running, fd).connect());
  return 0;
}

/** A descriptor that is readable once the process has ended. */
function openProcess({ running, processes }: Machine, pid: number): number {
  const process = processes.get(pid);
  if (process === undefined) throw new KernelError("ESRCH");
  return running.open(new Handle("anon_inode:[pidfd]", () => !process.isAlive), true);
}

/** The strings of a NULL-terminated vector. */
function vector({ memory }: Process, address: number): readonly Uint8Array[] {
  const strings: Uint8Array[] = [];
  for (let at = address; ; at += 8) {
    const pointer = Number(word(memory.view(at, 8)));
    if (pointer === 0) return strings;
    strings.push(memory.string(pointer).slice());
  }
}

function word(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
}

function write32({ memory }: Process, address: number, numbers: readonly number[]): void {
  const bytes = memory.view(address, numbers.length * 4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const [index, number] of numbers.entries()) view.setInt32(index * 4, number, true);
}

/** The parts of struct msghdr: one range of data, and one control message. */
function messageAt({ memory }: Process, header: number) {
  const field = (index: number) => Number(word(memory.view(header + index * 8, 8)));
  const [range, control] = [field(2), field(4)];
  const [data, length] = [word(memory.view(range, 8)), word(memory.view(range + 8, 8))];
  return {
    data: memory.view(Number(data), Number(length)),
    control: control === 0 ? undefined : memory.view(control, field(5)),
  };
}

function socketAt(process: Process, fd: number): Socket {
  const description = process.description(fd);
  if (!(description instanceof Socket)) throw new KernelError("ENOTSOCK");
  return description;
}

function sendMessage(machine: Machine, fd: number, header: number, flags: number): number {
  const { running } = machine;
  const { data, control } = messageAt(running, header);
  const carried =
    control && running.description(viewOf(control).getInt32(CONTROL_DESCRIPTOR, true));
  const socket = socketAt(running, fd);
  if (socket.isPeerGone && (flags & MSG_NOSIGNAL) === 0) {
    machine.kill(running, { number: signals.SIGPIPE, from: "kernel" });
  }
  socket.send(data, carried);
  return data.length;
}

function receiveMessage(machine: Machine, fd: number, header: number, flags: number): number {
  const { running } = machine;
  const socket = socketAt(running, fd);
  if ((flags & MSG_DONTWAIT) !== 0 && !socket.isReadable()) throw new KernelError("EAGAIN");
  waitFor(machine, socket, () => socket.isReadable());
  const { data, control } = messageAt(running, header);
  const received = socket.receive(data.length);
  if (received === undefined) return 0;
  machine.atBytes?.(received.bytes);
  data.set(received.bytes);
  if (received.carried === undefined || control === undefined) return received.bytes.length;
  const view = viewOf(control);
  view.setInt32(12, SCM_RIGHTS, true);
  view.setInt32(CONTROL_DESCRIPTOR, running.open(received.carried, true), true);
  received.carried.references--;
  return received.bytes.length;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** struct linux_dirent64: its length and its name; the position counts names. */
function listNames(machine: Machine, fd: number, target: number, length: number): number {
  const file = machine.running.description(fd);
  if (!(file instanceof OpenFile) || file.inode.kind !== "directory") {
    throw new KernelError("ENOTDIR");
  }
  const room = machine.running.memory.view(target, length);
  const names = machine.files.namesIn(file.inode.path).slice(file.position);
  let filled = 0;
  for (const name of names) {
    const bytes = new TextEncoder().encode(name);
    const size = Math.ceil((DIRENT_NAME + bytes.length + 1) / 8) * 8;
    if (filled + size > length) break;
    const record = room.subarray(filled, filled + size).fill(0);
    viewOf(record).setUint16(DIRENT_LENGTH, size, true);
    record.set(bytes, DIRENT_NAME);
    filled += size;
    file.position++;
  }
  return filled;
}
