import { describe, expect, test } from "bun:test";
import { enteringSystemCall, readRegister, registerLayouts } from "./register-layout.ts";

/** Offsets as <asm/user_64.h> (user_regs_struct) and <asm/ptrace.h> (user_pt_regs) have them. */
const truth = {
  x64: {
    names:
      "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs",
    pointers: { instructionPointer: "rip", stackPointer: "rsp" },
    number: "rax",
    result: "rax",
    parameters: "rdi rsi rdx r10 r8 r9",
    instruction: "0f05",
    also: { orig_rax: 2n ** 64n - 1n },
  },
  arm64: {
    names: `${Array.from({ length: 31 }, (_, index) => `x${index}`).join(" ")} sp pc pstate`,
    pointers: { instructionPointer: "pc", stackPointer: "sp" },
    number: "x8",
    result: "x0",
    parameters: "x0 x1 x2 x3 x4 x5",
    instruction: "010000d4",
    also: {},
  },
} as const;

for (const [architecture, expected] of Object.entries(truth)) {
  describe(`the registers of ${architecture}`, () => {
    const layout = registerLayouts[architecture];
    if (layout === undefined) throw new TypeError(`no layout for ${architecture}`);
    const names = expected.names.split(" ");
    const offset = (name: string) => 8 * names.indexOf(name);

    test("are as many as the kernel has, and stand in its places", () => {
      expect(layout.lengthBytes).toBe(8 * names.length);
      expect(layout.instructionPointer).toBe(offset(expected.pointers.instructionPointer));
      expect(layout.stackPointer).toBe(offset(expected.pointers.stackPointer));
      expect(layout.result).toBe(offset(expected.result));
      expect(layout.systemCallInstruction.toHex()).toBe(expected.instruction);
    });

    test("for a system call carry its number and arguments, and nothing else changes", () => {
      const before = new Uint8Array(layout.lengthBytes);
      new BigUint64Array(before.buffer).fill(0xeeeen);
      const after = enteringSystemCall(layout, before, {
        instruction: 0x1234,
        number: 9,
        arguments: [1, 2, 3, -1, 5],
      });
      const values = Object.fromEntries(
        names.map((name) => [name, readRegister(after, offset(name))]),
      );
      const untouched = Object.fromEntries(names.map((name) => [name, 0xeeeen]));
      const parameters = [1n, 2n, 3n, 2n ** 64n - 1n, 5n, 0n];
      expect(values).toEqual({
        ...untouched,
        ...Object.fromEntries(
          expected.parameters.split(" ").map((name, index) => [name, parameters[index] ?? 0n]),
        ),
        [expected.number]: 9n,
        [expected.pointers.instructionPointer]: 0x1234n,
        ...expected.also,
      });
      expect(readRegister(before, 0)).toBe(0xeeeen);
    });
  });
}
