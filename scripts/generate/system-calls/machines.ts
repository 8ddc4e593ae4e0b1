import type { NumberHeader } from "./call-numbers.ts";

/** By which numbers code calls the kernel. */
export interface Numbering {
  /** Before the names of its calls. */
  readonly prefix: "NATIVE" | "COMPAT" | "X32";
  /** For people. */
  readonly code: string;
  readonly header: NumberHeader;
  /**
   * Gives the number in the table for a call's number in the header; undefined if it has no place.
   */
  readonly place?: (number: number) => number | undefined;
}

/** An architecture, with the ways in which code for it numbers its calls. */
export interface Machine {
  /** As __TARGET_ARCH_* has it. */
  readonly name: "x86" | "arm64";
  readonly numberings: readonly Numbering[];
}

const X32_SYSCALL_BIT = 0x4000_0000;
/**
 * arch/x86/entry/syscalls/syscall_64.tbl: behind it are those that x32 alone has, and its others
 * are those of 64 bits.
 */
const X32_OWN = 512;

const x86Headers =
  process.arch === "x64"
    ? { folder: "/usr/include/x86_64-linux-gnu", debianPackage: "linux-libc-dev" }
    : { folder: "/usr/x86_64-linux-gnu/include", debianPackage: "linux-libc-dev-amd64-cross" };

/** The architectures that the agent runs on. */
export const machines: readonly Machine[] = [
  {
    name: "x86",
    numberings: [
      {
        prefix: "NATIVE",
        code: "64 bits",
        header: { ...x86Headers, header: "asm/unistd_64.h", macros: [] },
      },
      {
        prefix: "X32",
        code: "x32, in which it has its own numbers",
        header: {
          ...x86Headers,
          header: "asm/unistd_x32.h",
          macros: [`__X32_SYSCALL_BIT=${X32_SYSCALL_BIT}`],
        },
        place: (number) => {
          const own = number - X32_SYSCALL_BIT;
          return own >= X32_OWN ? own : undefined;
        },
      },
      {
        prefix: "COMPAT",
        code: "i386",
        header: { ...x86Headers, header: "asm/unistd_32.h", macros: [] },
      },
    ],
  },
  {
    name: "arm64",
    numberings: [
      {
        prefix: "NATIVE",
        code: "64 bits",
        header: {
          folder: "/usr/aarch64-linux-gnu/include",
          header: "asm/unistd.h",
          macros: [],
          debianPackage: "linux-libc-dev-arm64-cross",
        },
      },
      {
        prefix: "COMPAT",
        code: "AArch32",
        header: {
          folder: "/usr/arm-linux-gnueabihf/include",
          header: "asm/unistd.h",
          // The kernel of 64 bits takes no calls of the older way.
          macros: ["__ARM_EABI__"],
          debianPackage: "linux-libc-dev-armhf-cross",
        },
      },
    ],
  },
];
