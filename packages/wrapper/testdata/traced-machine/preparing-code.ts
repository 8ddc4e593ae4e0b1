import type { CodeCall, CodeEnd } from "./code-steps.ts";
import type { Thread } from "./thread.ts";

const CLOSE = 2;
const LOCK = 1;
const MUST_LOCK = 4;
const GO_TO_BEGINNING = 8;
const EBADF = 9;
const EEXIST = 17;
const ENOSYS = 38;
const MAX_ERRNO = 4095;
const STATUS_BYTES = 1024;
const LEAST_VALUE = 8;

/**
 * Acts as prepare.*.s, with the same parameters, results and system calls: the machine has no
 * processor. run-preparing-code.test.ts and e2e/arm64 run the code itself.
 */
export function* runPreparingCode(thread: Thread): Generator<CodeCall, CodeEnd, number> {
  const { preparing, stackPointer, result } = thread.process.layout;
  const flags = thread.get(preparing.flags);
  const beginning = thread.get(preparing.beginning);
  const stack = thread.get(stackPointer);
  const prepared = yield* prepare(thread, stack, flags);
  thread.set([preparing.fd, prepared.fd], [preparing.slotsEnd, prepared.slotsEnd]);
  thread.set([preparing.holdsCopy, prepared.holdsCopy ? 1 : 0], [result, prepared.result]);
  if ((flags & GO_TO_BEGINNING) === 0) return "trap";
  const failed = prepared.result < 0 && prepared.result >= -MAX_ERRNO;
  const refused = prepared.holdsCopy ? -EEXIST : 0;
  const told = failed ? prepared.result : refused;
  if (told === -ENOSYS) return "exit";
  if (told !== 0 && (yield ["execve", 0, told, 0]) === -ENOSYS) return "exit";
  thread.registers.fill(0);
  thread.set([stackPointer, stack], [thread.process.layout.instructionPointer, beginning]);
  return "begin";
}

interface Outcome {
  readonly result: number;
  readonly fd: number;
  readonly slotsEnd: number;
  readonly holdsCopy: boolean;
}

function* prepare(
  thread: Thread,
  stack: number,
  flags: number,
): Generator<CodeCall, Outcome, number> {
  const { preparing } = thread.process.layout;
  const length = thread.get(preparing.length);
  const inode = thread.get(preparing.inode);
  let fd = thread.get(preparing.fd);
  const failed = (result: number): Outcome => ({ result, fd, slotsEnd: 0, holdsCopy: false });
  if (fd < 0) {
    fd = yield ["execve", 0, 0, 0];
    if (fd < 0) return failed(fd);
  } else {
    const status = yield ["fstat", fd, stack - STATUS_BYTES];
    if (status < 0) return failed(status);
    if (thread.memory.word(stack - STATUS_BYTES + 8) !== BigInt(inode)) return failed(-EBADF);
  }
  const address = yield ["mmap", 0, length, 3, 1, fd, 0];
  if ((flags & CLOSE) !== 0) yield ["close", fd];
  if (address < 0) return failed(address);
  if ((flags & LOCK) !== 0) {
    const locked = yield ["mlock", address, length];
    if (locked < 0 && (flags & MUST_LOCK) !== 0) {
      yield ["munmap", address, length];
      return failed(locked);
    }
    yield ["madvise", address, length, 16];
  }
  return { result: address, fd, ...pointSlots(thread, stack, address) };
}

/** The comparison, and the search for other copies: between two system calls. */
function pointSlots(thread: Thread, stack: number, address: number) {
  const { memory, process } = thread;
  const { preparing } = process.layout;
  const length = thread.get(preparing.length);
  const slotStart = thread.get(preparing.slotStart);
  const slotBytes = thread.get(preparing.slotBytes);
  const slots = stack + 8 * Number(memory.word(stack)) + 16;
  const texts = memory.pointers(slots);
  const isOfRegion = (at: number) => at >= address && at < address + length;
  for (const start of slotStart === 0 ? [0] : [slotStart, 0]) {
    const entries = entriesAt(thread, address + start, slotBytes);
    memory.pointers(slots).forEach((text, index) => {
      const entry = isOfRegion(text) ? undefined : entries.get(memory.text(text));
      if (entry === undefined) return;
      memory.setWord(slots + 8 * index, BigInt(entry));
      wipeValue(thread, text);
    });
  }
  const values = [...entriesAt(thread, address, slotBytes).keys()]
    .map((entry) => entry.slice(entry.indexOf("=") + 1))
    .filter((value) => value.length >= LEAST_VALUE);
  const others = memory.pointers(slots).filter((text) => !isOfRegion(text));
  const holdsCopy = others.some((text) =>
    values.some((value) => memory.text(text).includes(value)),
  );
  return { slotsEnd: slots + 8 * texts.length, holdsCopy };
}

/** Address by entry, of the entries of one slot. */
function entriesAt(thread: Thread, start: number, length: number): ReadonlyMap<string, number> {
  const entries = new Map<string, number>();
  for (let at = start; at < start + length; ) {
    const text = thread.memory.text(at);
    if (text === "") break;
    if (!entries.has(text)) entries.set(text, at);
    at += new TextEncoder().encode(text).length + 1;
  }
  return entries;
}

function wipeValue(thread: Thread, text: number): void {
  const entry = thread.memory.text(text);
  const name = entry.indexOf("=") + 1;
  thread.memory.write(text + name, new Uint8Array(entry.length - name));
}
