import { describe, expect, test } from "bun:test";
import { execFilter } from "./exec-filter.ts";

const X64 = 0xc000_003e;
const I386 = 0x4000_0003;
const ARM64 = 0xc000_00b7;
const ARM = 0x4000_0028;
const S390 = 0x8000_0016;
const PASS = 0xfeed_0001;
const ALLOW = 0x7fff_0000;
const NOTIFY = 0x7fc0_0000;

describe("the filter that announces each execve", () => {
  const rows: readonly (readonly [
    name: string,
    architecture: string,
    audit: number,
    number: number,
    fourth: number,
    result: number,
  ])[] = [
    ["execve", "x64", X64, 59, 0, NOTIFY],
    ["execveat", "x64", X64, 322, 0, NOTIFY],
    ["execve of x32", "x64", X64, 0x4000_0000 + 520, 0, NOTIFY],
    ["execveat of x32", "x64", X64, 0x4000_0000 + 545, 0, NOTIFY],
    ["execve of 32 bits", "x64", I386, 11, 0, NOTIFY],
    ["execveat of 32 bits", "x64", I386, 358, 0, NOTIFY],
    ["the wrapper's own execve", "x64", X64, 59, PASS, ALLOW],
    ["execveat with the same word", "x64", X64, 322, PASS, NOTIFY],
    ["munmap, which is execve in 32 bits", "x64", X64, 11, 0, ALLOW],
    ["read", "x64", X64, 0, 0, ALLOW],
    ["a call of another architecture", "x64", S390, 11, 0, ALLOW],
    ["execve", "arm64", ARM64, 221, 0, NOTIFY],
    ["execveat", "arm64", ARM64, 281, 0, NOTIFY],
    ["execve of 32 bits", "arm64", ARM, 11, 0, NOTIFY],
    ["execveat of 32 bits", "arm64", ARM, 387, 0, NOTIFY],
    ["the wrapper's own execve", "arm64", ARM64, 221, PASS, ALLOW],
    ["read", "arm64", ARM64, 63, 0, ALLOW],
  ];
  for (const [name, architecture, audit, number, fourth, result] of rows) {
    test(`${result === NOTIFY ? "announces" : "allows"} ${name} on ${architecture}`, () => {
      const filter = execFilter({ architecture, pass: PASS, changesOfUser: false });
      expect(run(filter, { number, audit, fourth })).toBe(result);
    });
  }

  test("announces changes of the user if that is asked for", () => {
    const setuid = { number: 105, audit: X64, fourth: 0 };
    const architecture = "x64";
    for (const changesOfUser of [true, false]) {
      const filter = execFilter({ architecture, pass: PASS, changesOfUser });
      expect(run(filter, setuid)).toBe(changesOfUser ? NOTIFY : ALLOW);
    }
  });
});

/** Runs the classic BPF of linux/filter.h that the filter is made of. */
function run(
  filter: Uint8Array,
  call: { readonly number: number; readonly audit: number; readonly fourth: number },
): number {
  const data = new Map([
    [0, call.number],
    [4, call.audit],
    [40, call.fourth],
  ]);
  const view = new DataView(filter.buffer);
  let accumulator = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const code = view.getUint16(at, true);
    const operand = view.getUint32(at + 4, true);
    if (code === 0x20) accumulator = data.get(operand) ?? -1;
    else if (code === 0x06) return operand;
    else at += 8 * (filter[at + (accumulator === operand ? 2 : 3)] ?? 0);
  }
  throw new RangeError("the filter ends without a result");
}
