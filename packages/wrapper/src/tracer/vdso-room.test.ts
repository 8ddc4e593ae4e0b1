import { describe, expect, test } from "bun:test";
import { readVdso } from "@svc/kernel";
import { roomInVdso, vdsoAddress } from "./vdso-room.ts";

/** An image of one page whose section headers, two of 64 bytes, begin at `headersAt`. */
function image({ headersAt, content }: { headersAt: number; content: number }): Uint8Array {
  const bytes = new Uint8Array(4096);
  bytes.fill(1, 64, content);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(40, BigInt(headersAt), true);
  view.setUint16(58, 64, true);
  view.setUint16(60, 2, true);
  return bytes;
}

describe("roomInVdso", () => {
  const rows = [
    ["behind the section headers, though they end in zeros", 1000, 900, 500, 1136],
    ["behind the content, if the headers are in between", 200, 1001, 500, 1008],
    ["up to the last byte", 3952, 100, 16, 4080],
    ["nowhere, if a byte is missing", 3952, 100, 17, undefined],
    ["nowhere, if the headers are said to be elsewhere", 9000, 100, 16, undefined],
  ] as const;
  for (const [name, headersAt, content, length, start] of rows) {
    test(name, () => {
      expect(roomInVdso(image({ headersAt, content }), length)).toBe(start);
    });
  }

  test("nowhere in 10 bytes, which hold no ELF header", () => {
    expect(roomInVdso(new Uint8Array(10), 1)).toBeUndefined();
  });

  test("is zero in this kernel's vDSO", () => {
    const vdso = readVdso();
    const start = vdso && roomInVdso(vdso, 8);
    if (start === undefined) return;
    expect(vdso?.subarray(start).every((byte) => byte === 0)).toBe(true);
  });
});

describe("vdsoAddress", () => {
  const stackPointer = 0x7ffc_0000_0100;
  /** argv and envp as pointers, and the auxiliary vector behind them. */
  function stack(options: { variables: number; type?: bigint }) {
    const argv = [0x1000n, 0x2000n];
    const envp = Array.from({ length: options.variables }, (_, index) => 0x3000n + BigInt(index));
    const auxiliary = [options.type ?? 33n, 0x7ffd_1234_5000n, 51n, 3376n];
    const words = BigUint64Array.of(2n, ...argv, 0n, ...envp, 0n, ...auxiliary);
    const memory = new Uint8Array(words.byteLength + 4096);
    memory.set(new Uint8Array(words.buffer));
    const ends: number[] = [];
    const read = (address: number, length: number) => {
      const at = address - stackPointer;
      ends.push(at + length);
      return memory.slice(at, at + length);
    };
    return { read, ends, words: words.byteLength };
  }

  for (const variables of [0, 1, 30, 31, 32, 33, 500]) {
    test(`is found behind ${variables} variables, and nothing is read far behind it`, () => {
      const { read, ends, words } = stack({ variables });
      expect(vdsoAddress(stackPointer, read)).toBe(0x7ffd_1234_5000);
      // The shortest auxiliary vector is longer than that.
      expect(Math.max(...ends) - words).toBeLessThanOrEqual(256);
    });
  }

  test("is not told by another entry", () => {
    expect(vdsoAddress(stackPointer, stack({ variables: 3, type: 16n }).read)).toBeUndefined();
  });
});
