/**
 * The type of the auxiliary vector's entry in which a loader with the entry code below leaves the
 * address of the real environment: "svc" in ASCII. packages/kernel asks for it with getauxval(3).
 */
export const environmentEntryType = 0x737663;

/** One instruction: its bytes, and what an assembler makes them of. */
export type Instruction = readonly [bytes: string, assembly: string];

/** What a machine runs before the loader's own first instruction, and how it goes on to that. */
export interface EntryCode {
  readonly instructions: readonly Instruction[];
  /** A jump over `distance` bytes, counted from the jump's own address. */
  readonly jump: (distance: number) => Uint8Array;
}

// Bun needs it before any JS runs, and without it ends by a crash that nobody could read.
const needed = datum("7", "/proc/self/maps\0");
const complaint = datum(
  "8",
  "svc-wrapper: start: /proc is not mounted: nothing can be started without it\n",
);

/**
 * Ends with 125 and a line on standard error where there is no /proc. Then gives the loader, and
 * with it libc, a copy of the initial stack that has no environment: below
 * what the kernel made, argc, argv, an environment of no entries and the auxiliary vector, which
 * begins with an entry for the address of the real environment. Nothing of the kernel's is changed.
 *
 * System V ABI, "Process Initialization": the stack pointer is at argc, a multiple of 16.
 */
export const entryCodes: Readonly<Record<number, EntryCode>> = {
  62: {
    instructions: [
      ["eb5c", "jmp 9f"],
      needed,
      complaint,
      ["b815000000", "9: mov $21, %eax"], // access(2)
      ["488d3d98ffffff", "lea 7b(%rip), %rdi"],
      ["be04000000", "mov $4, %esi"],
      ["0f05", "syscall"],
      ["85c0", "test %eax, %eax"],
      ["7424", "je 9f"],
      ["b801000000", "mov $1, %eax"], // write(2)
      ["bf02000000", "mov $2, %edi"],
      ["488d358cffffff", "lea 8b(%rip), %rsi"],
      ["ba4c000000", "mov $76, %edx"],
      ["0f05", "syscall"],
      ["b8e7000000", "mov $231, %eax"], // exit_group(2)
      ["bf7d000000", "mov $125, %edi"],
      ["0f05", "syscall"],
      ["4889e6", "9: mov %rsp, %rsi"], // rsi: argc
      ["488b06", "mov (%rsi), %rax"],
      ["4c8d44c610", "lea 16(%rsi,%rax,8), %r8"], // r8: the environment
      ["4c89c7", "mov %r8, %rdi"],
      ["4883c708", "1: add $8, %rdi"],
      ["48837ff800", "cmpq $0, -8(%rdi)"],
      ["75f5", "jne 1b"], // rdi: the auxiliary vector
      ["4889fa", "mov %rdi, %rdx"],
      ["4883c210", "2: add $16, %rdx"],
      ["48837af000", "cmpq $0, -16(%rdx)"],
      ["75f5", "jne 2b"], // rdx: its end
      // What is pushed is 8 × (argc + an even number + 1) bytes: a pad makes it a multiple of 16.
      ["a801", "test $1, %al"],
      ["7502", "jne 3f"],
      ["6a00", "pushq $0"],
      ["4883ea08", "3: sub $8, %rdx"],
      ["ff32", "pushq (%rdx)"],
      ["4839fa", "cmp %rdi, %rdx"],
      ["75f5", "jne 3b"],
      ["4150", "push %r8"],
      ["6863767300", "pushq $0x737663"],
      ["6a00", "pushq $0"],
      ["4983e808", "4: sub $8, %r8"],
      ["41ff30", "pushq (%r8)"],
      ["4939f0", "cmp %rsi, %r8"],
      ["75f4", "jne 4b"],
    ],
    jump: (distance) => withInt32(Uint8Array.of(0xe9, 0, 0, 0, 0), 1, distance - 5),
  },
  183: {
    instructions: [
      ["18000014", "b 9f"],
      needed,
      complaint,
      ["600c8092", "9: mov x0, #-100"], // AT_FDCWD
      ["01fdff10", "adr x1, 7b"],
      ["820080d2", "mov x2, #4"],
      ["080680d2", "mov x8, #48"], // faccessat(2)
      ["010000d4", "svc #0"],
      ["200100b4", "cbz x0, 9f"],
      ["400080d2", "mov x0, #2"],
      ["c1fcff10", "adr x1, 8b"],
      ["820980d2", "mov x2, #76"],
      ["080880d2", "mov x8, #64"], // write(2)
      ["010000d4", "svc #0"],
      ["a00f80d2", "mov x0, #125"],
      ["c80b80d2", "mov x8, #94"], // exit_group(2)
      ["010000d4", "svc #0"],
      ["e1030091", "9: mov x1, sp"], // x1: argc
      ["220040f9", "ldr x2, [x1]"],
      ["230c028b", "add x3, x1, x2, lsl #3"],
      ["63400091", "add x3, x3, #16"], // x3: the environment
      ["e40303aa", "mov x4, x3"],
      ["858440f8", "1: ldr x5, [x4], #8"],
      ["e5ffffb5", "cbnz x5, 1b"], // x4: the auxiliary vector
      ["e60304aa", "mov x6, x4"],
      ["c50441f8", "2: ldr x5, [x6], #16"],
      ["e5ffffb5", "cbnz x5, 2b"], // x6: its end
      ["c70004cb", "sub x7, x6, x4"],
      ["e70c028b", "add x7, x7, x2, lsl #3"],
      // argc, the NULLs that end argv and the environment, and our entry.
      ["e7a00091", "add x7, x7, #40"],
      ["280007cb", "sub x8, x1, x7"],
      ["08ed7c92", "and x8, x8, #0xfffffffffffffff0"],
      ["1f010091", "mov sp, x8"],
      ["258440f8", "3: ldr x5, [x1], #8"],
      ["058500f8", "str x5, [x8], #8"],
      ["3f0003eb", "cmp x1, x3"],
      ["a1ffff54", "b.ne 3b"],
      ["1f8500f8", "str xzr, [x8], #8"],
      ["65cc8ed2", "movz x5, #0x7663"],
      ["650ea0f2", "movk x5, #0x73, lsl #16"],
      ["050d81a8", "stp x5, x3, [x8], #16"],
      ["851cc1a8", "4: ldp x5, x7, [x4], #16"],
      ["051d81a8", "stp x5, x7, [x8], #16"],
      ["9f0006eb", "cmp x4, x6"],
      ["a1ffff54", "b.ne 4b"],
      ["000080d2", "mov x0, #0"],
    ],
    jump: (distance) => withInt32(new Uint8Array(4), 0, 0x14000000 | ((distance >> 2) & 0x3ffffff)),
  },
};

/** Bytes among the instructions, with a label. */
function datum(label: string, text: string): Instruction {
  return [
    Buffer.from(text).toString("hex"),
    `${label}: .ascii ${JSON.stringify(text).replace("\\u0000", "\\0")}`,
  ];
}

function withInt32(bytes: Uint8Array, position: number, value: number): Uint8Array {
  new DataView(bytes.buffer).setInt32(position, value, true);
  return bytes;
}
