import type { KernelUnderTest, Outcome, Scripts } from "../calls/kernel-under-test.ts";
import { bytesOf, numberOf, pipe, polled, readText, writeText } from "../calls/words.ts";

const [SENDMSG, RECVMSG, SOCKETPAIR] = [46, 47, 53];
const [DONTWAIT, NOSIGNAL] = [0x40, 0x4000];
const CLOEXEC = 0x4000_0000;
const CONTROL_BYTES = 24;
const ALL = 0x1f;

/** unix(7): pairs of stream sockets. */
export const sockets: Scripts = {
  "a stream joins and splits data": (kernel) => {
    const [one, other] = pair(kernel);
    writeText(kernel, one, "abc");
    writeText(kernel, one, "def");
    const parts = [readText(kernel, other, 2), readText(kernel, other, 9)];
    return [...parts, polled(kernel, other, ALL), receive(kernel, other, DONTWAIT)];
  },
  "the end of the other": (kernel) => {
    const [one, other] = pair(kernel);
    writeText(kernel, one, "abc");
    kernel.call("close", one);
    return [
      polled(kernel, other, ALL),
      readText(kernel, other, 9),
      readText(kernel, other, 9),
      receive(kernel, other, DONTWAIT),
      send(kernel, other, "x", NOSIGNAL),
      polled(kernel, other, ALL),
    ];
  },
  "a descriptor goes with its message": (kernel) => {
    const [one, other] = pair(kernel);
    const { reads, writes } = pipe(kernel);
    const sent = [send(kernel, one, "a", 0), send(kernel, one, "bc", 0, writes)];
    sent.push(send(kernel, one, "d", 0));
    kernel.call("close", writes);
    const first = receive(kernel, other, DONTWAIT);
    const got = passed;
    const outcomes = [...sent, first, receive(kernel, other, DONTWAIT)];
    outcomes.push(writeText(kernel, got, "through"), readText(kernel, reads, 9));
    kernel.call("close", got);
    return [...outcomes, readText(kernel, reads, 9)];
  },
  "a descriptor that is on its way keeps a pipe open": (kernel) => {
    const [one, other] = pair(kernel);
    const { reads, writes } = pipe(kernel);
    send(kernel, one, "a", 0, writes);
    kernel.call("close", writes);
    const before = polled(kernel, reads, ALL);
    kernel.call("close", other);
    return [before, polled(kernel, reads, ALL), readText(kernel, reads, 1)];
  },
  "messages on a descriptor of another kind": (kernel) => [
    send(kernel, pipe(kernel).writes, "a", 0),
    receive(kernel, pipe(kernel).reads, DONTWAIT),
    send(kernel, 777, "a", 0),
    send(kernel, pair(kernel)[0], "a", 0, 777),
  ],
};

let passed = -1;

/** Both ends of a new pair. */
export function pair(kernel: KernelUnderTest): readonly [number, number] {
  const fds = new Int32Array(2);
  const address = kernel.addressOf(new Uint8Array(fds.buffer));
  numberOf(kernel.call("syscall", SOCKETPAIR, 1, 1 | 0o2000000, 0, address));
  return [fds[0] ?? -1, fds[1] ?? -1];
}

/** struct msghdr with one range and room for one descriptor; all in one array. */
function message(kernel: KernelUnderTest, data: Uint8Array, control: Uint8Array | undefined) {
  const parts = new Uint8Array(72);
  const view = new DataView(parts.buffer);
  const address = kernel.addressOf(parts);
  view.setBigUint64(0, BigInt(kernel.addressOf(data)), true);
  view.setBigUint64(8, BigInt(data.length), true);
  const header = 16;
  view.setBigUint64(header + 16, BigInt(address), true);
  view.setBigUint64(header + 24, 1n, true);
  if (control !== undefined) {
    view.setBigUint64(header + 32, BigInt(kernel.addressOf(control)), true);
    view.setBigUint64(header + 40, BigInt(control.length), true);
  }
  return { parts, address: address + header };
}

function send(
  kernel: KernelUnderTest,
  fd: number,
  text: string,
  how: number,
  carried?: number,
): Outcome {
  const control = carried === undefined ? undefined : new Uint8Array(CONTROL_BYTES);
  if (control !== undefined) new Int32Array(control.buffer).set([20, 0, 1, 1, carried ?? -1]);
  const data = bytesOf(text);
  const { address } = message(kernel, data, control);
  return kernel.call("syscall", SENDMSG, fd, address, how);
}

/** The text, and whether a descriptor came; it is then in `passed`. */
function receive(kernel: KernelUnderTest, fd: number, how: number): Outcome {
  const [data, control] = [new Uint8Array(16), new Uint8Array(CONTROL_BYTES)];
  const { address } = message(kernel, data, control);
  const outcome = kernel.call("syscall", RECVMSG, fd, address, how | CLOEXEC);
  if (typeof outcome === "string") return outcome;
  const [, , , kind, descriptor] = new Int32Array(control.buffer);
  if (kind === 1) passed = descriptor ?? -1;
  const text = JSON.stringify(new TextDecoder().decode(data.subarray(0, outcome)));
  return `${text}${kind === 1 ? " with a descriptor" : ""}`;
}
