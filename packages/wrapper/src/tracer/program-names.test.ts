import { describe, expect, test } from "bun:test";
import { readInitialStack } from "./initial-stack.ts";
import { readProgramNames } from "./program-names.ts";

const STRINGS = 0x9000;
const AT_EXECFN = 31n;

describe("readProgramNames", () => {
  const rows: readonly (readonly [
    name: string,
    argv: readonly string[],
    variables: readonly string[],
    executed: string,
    read: readonly string[],
  ])[] = [
    ["two arguments", ["sh", "-c", "exec app"], ["A=1"], "/bin/sh", ["sh", "-c"]],
    ["one argument", ["server"], ["A=1"], "/app/server", ["server"]],
    ["no argument", [], ["A=1"], "/app/server", []],
    ["arguments without variables", ["sh", "-c", "x"], [], "/bin/sh", ["sh", "-c"]],
    ["empty arguments", ["", ""], ["A=1"], "./a", ["", ""]],
    [
      "words of eight bytes",
      ["12345678", "abcdefgh"],
      ["A=1"],
      "/1234567",
      ["12345678", "abcdefgh"],
    ],
    [
      "longer words",
      ["/usr/bin/python3.11", "x"],
      ["A=1"],
      "/usr/bin/python3.11",
      ["/usr/bin/python3.11", "x"],
    ],
    ["letters outside ASCII", ["ключ", "ß"], ["A=1"], "/opt/ключ", ["ключ", "ß"]],
  ];
  for (const [name, argv, variables, executed, expected] of rows) {
    test(`reads ${name}`, () => {
      const memory = stackWith(argv, variables, executed);
      const stack = readInitialStack(memory.start, memory.read);
      expect(readProgramNames(stack, memory.read)).toEqual({ executed, argv: [...expected] });
    });

    test(`reads no byte of the variables behind ${name}`, () => {
      const memory = stackWith(argv, variables, executed);
      const stack = readInitialStack(memory.start, memory.read);
      memory.touched.clear();
      readProgramNames(stack, memory.read);
      const secret = memory.rangeOfVariables;
      const read = [...memory.touched].filter((at) => at >= secret.start && at < secret.end);
      expect(read).toEqual([]);
    });
  }
});

/** A stack as the kernel lays it: strings one behind the other, the executed path last, a zero word. */
function stackWith(argv: readonly string[], variables: readonly string[], executed: string) {
  const encoder = new TextEncoder();
  const bytes: number[] = [...encoder.encode("x86_64\0\0")];
  const place = (text: string): number => {
    const at = STRINGS + bytes.length;
    bytes.push(...encoder.encode(`${text}\0`));
    return at;
  };
  const argvAt = argv.map(place);
  const start = STRINGS + bytes.length;
  const slotsAt = variables.map(place);
  const end = STRINGS + bytes.length;
  const executedAt = place(executed);
  bytes.push(0, 0, 0, 0, 0, 0, 0, 0);
  const words = [
    BigInt(argv.length),
    ...[...argvAt, 0, ...slotsAt, 0].map(BigInt),
    AT_EXECFN,
    BigInt(executedAt),
    0n,
    0n,
  ];
  const stackStart = STRINGS - 8 * words.length;
  const all = new Uint8Array([...new Uint8Array(BigUint64Array.from(words).buffer), ...bytes]);
  const touched = new Set<number>();
  return {
    start: stackStart,
    touched,
    rangeOfVariables: { start, end },
    read: (address: number): bigint => {
      const offset = address - stackStart;
      if (offset < 0 || offset + 8 > all.length) throw new RangeError("outside of the stack");
      for (let at = address; at < address + 8; at += 1) touched.add(at);
      return new DataView(all.buffer).getBigUint64(offset, true);
    },
  };
}
