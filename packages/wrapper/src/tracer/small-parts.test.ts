import { describe, expect, test } from "bun:test";
import { SyscallError } from "@svc/kernel";
import { definesEnviron, goProgram } from "../../testdata/traced-machine/elf-files.ts";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { play, processOf, startsChild } from "../../testdata/traced-machine/scene.ts";
import { readInitialStack } from "./initial-stack.ts";
import { LibraryPrograms } from "./library-programs.ts";
import { pendingSignal } from "./pending-signal.ts";
import { currentSlot } from "./place-copies.ts";
import { regionFlags } from "./preparing.ts";
import { readCString } from "./read-c-string.ts";
import { layoutHere, readRegister, registerLayouts, withRegisters } from "./register-layout.ts";
import { whyRefused } from "./shortcomings.ts";
import { isErrno, isGone, PreparationError, ProgramGoneError } from "./stopped-program.ts";
import { mappedFiles, threadState } from "./thread-states.ts";

const x64 =
  "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs";
const arm64 = `${Array.from({ length: 31 }, (_, index) => `x${index}`).join(" ")} sp pc pstate`;

describe("the registers of the preparing code", () => {
  // The comments at the top of prepare.*.s.
  const rows = [
    ["x64", x64, "r13 r12 r9 r15 rbx rbp rdi r10 rbx"],
    ["arm64", arm64, "x19 x20 x21 x22 x23 x24 x1 x26 x23"],
  ] as const;
  for (const [architecture, names, expected] of rows) {
    test(`of ${architecture} are those of its source`, () => {
      const preparing = registerLayouts[architecture]?.preparing;
      const { fd, length, inode, flags, slotStart, slotBytes, slotsEnd, beginning, holdsCopy } =
        preparing ?? (() => expect.unreachable())();
      const all = [fd, length, inode, flags, slotStart, slotBytes, slotsEnd, beginning, holdsCopy];
      expect(all.map((register) => names.split(" ")[register / 8]).join(" ")).toBe(expected);
    });
  }

  test("are given values of 64 bits, and the others stay", () => {
    const before = new Uint8Array(24).fill(7);
    const after = withRegisters(before, [[8, 2n ** 64n - 2n]]);
    expect([0, 8, 16].map((at) => readRegister(after, at))).toEqual([
      0x0707_0707_0707_0707n,
      2n ** 64n - 2n,
      0x0707_0707_0707_0707n,
    ]);
  });
});

test("the numbers of system calls are those of the kernel's tables", () => {
  // syscall_64.tbl, asm-generic/unistd.h
  expect(registerLayouts["x64"]?.systemCalls).toEqual({
    ...{ mmap: 9, munmap: 11, close: 3, fstat: 5, mlock: 149, madvise: 28 },
    ...{ execve: 59, execveat: 322 },
  });
  expect(registerLayouts["arm64"]?.systemCalls).toEqual({
    ...{ mmap: 222, munmap: 215, close: 57, fstat: 80, mlock: 228, madvise: 233 },
    ...{ execve: 221, execveat: 281 },
  });
});

describe("the flags of the preparing code", () => {
  const rows = [
    ["memfd_secret", false, true, 0],
    ["memfd_secret", true, false, 2],
    ["memfd", false, true, 1],
    ["memfd", true, true, 5],
    ["memfd", true, false, 7],
  ] as const;
  for (const [kind, mustLock, keeps, flags] of rows) {
    test(`for ${kind}, ${mustLock ? "locked" : "unlocked"}, ${keeps ? "kept" : "closed"}`, () => {
      const region = { fd: 3, lengthBytes: 4096, inode: 1, kind, mustLock };
      expect(regionFlags(region, keeps)).toBe(flags);
    });
  }
});

test("the slot of a generation is that of its first entry", () => {
  const region = { fd: 3, lengthBytes: 8192, inode: 1, kind: "memfd", mustLock: false } as const;
  const offsets = { A: 4096 + 17, B: 4096 + 40 };
  expect(currentSlot(region, { generation: 1, offsets })).toBe(0);
  expect(currentSlot({ ...region, slotBytes: 4096 }, { generation: 1, offsets })).toBe(4096);
  expect(currentSlot({ ...region, slotBytes: 4096 }, { generation: 1, offsets: {} })).toBe(0);
});

test("each errno of the preparing code has its reason", () => {
  const reasons = [-9, -17, -24, -12, -11].map(whyRefused);
  expect(reasons).toEqual([
    "no descriptor",
    "copied",
    "no more descriptors",
    "no memory",
    "no memory",
  ]);
});

test("results of -4095 to -1 are errors", () => {
  const results = [-4096, -4095, -1, 0, 1, 0x7fff_ffff_f000];
  expect(results.map(isErrno)).toEqual([false, true, true, false, false, false]);
});

test("an error says whether its process is gone", () => {
  const rows: readonly (readonly [error: unknown, gone: boolean])[] = [
    [new ProgramGoneError(), true],
    [new SyscallError("ptrace", 3), true],
    [new SyscallError("waitid", 10), true],
    [new SyscallError("ptrace", 10), false],
    [new SyscallError("waitid", 1), false],
    [new PreparationError("x"), false],
    ["text", false],
  ];
  expect(rows.map(([error]) => isGone(error))).toEqual(rows.map(([, gone]) => gone));
  expect(new ProgramGoneError().name).toBe("ProgramGoneError");
  expect(new PreparationError("x").name).toBe("PreparationError");
});

test("a stop holds a signal back, unless it is an event or one of a system call", () => {
  const stop = (signal: number, event: number) => {
    return pendingSignal({ kind: "traced", pid: 1, signal, event });
  };
  expect([stop(15, 0), stop(5, 128), stop(0x85, 0), stop(64, 0)]).toEqual([15, 0, 0, 64]);
});

describe("readCString", () => {
  const read = (text: string) => {
    const bytes = new TextEncoder().encode(text.padEnd(8192, "\0"));
    return (at: number) => new DataView(bytes.buffer).getBigUint64(at, true);
  };
  for (const text of ["", "/bin/sh", "/bin/cat", "/usr/bin/env", "/ö"]) {
    test(`reads ${text === "" ? "nothing" : text}`, () => {
      expect(readCString(0, read(text))).toBe(text);
    });
  }

  test("reads no path longer than the kernel's", () => {
    expect(readCString(0, read("/".repeat(8000)))).toHaveLength(4096);
  });
});

describe("an initial stack", () => {
  test("that never ends is refused", () => {
    const pairs = (at: number) => (at < 24 ? 0n : 7n);
    expect(() => readInitialStack(0, pairs)).toThrow("not an initial stack: no end");
  });

  test("with a million arguments and one is refused", () => {
    const least = (1n << 20n) + 1n;
    expect(() => readInitialStack(0, () => least)).toThrow("too many arguments");
    expect(() => readInitialStack(0, () => least - 1n)).toThrow("too many pointers");
  });
});

describe("programs of the Go library", () => {
  test("are looked at once, until their file is another", () => {
    using life = play({ follow: "notify", steps: [startsChild] });
    const { machine } = life;
    const programs = new LibraryPrograms(layoutHere());
    const { pid } = processOf(life);
    const opened = () => machine.calls.filter((name) => name === "open exe").length;
    const before = opened();
    expect([programs.executes(pid), programs.executes(pid)]).toEqual([false, false]);
    expect(opened()).toBe(before + 1);
    machine.addFile("/bin/child", { contents: goProgram("svc.internal/secrets") });
    expect([programs.executes(pid), programs.executes(pid)]).toEqual([true, true]);
    expect(opened()).toBe(before + 2);
  });

  test("are forgotten once there are 256 others", () => {
    using life = play({ follow: "notify", steps: [startsChild] });
    const { machine } = life;
    const programs = new LibraryPrograms(layoutHere());
    const { pid } = processOf(life);
    const opened = () => machine.calls.filter((name) => name === "open exe").length;
    const first = machine.files.get("/bin/child");
    programs.executes(pid);
    for (let other = 0; other < 255; other += 1) {
      machine.addFile("/bin/child");
      programs.executes(pid);
    }
    if (first !== undefined) machine.files.set("/bin/child", first);
    const before = opened();
    programs.executes(pid);
    expect(opened()).toBe(before);
    machine.addFile("/bin/child");
    programs.executes(pid);
    if (first !== undefined) machine.files.set("/bin/child", first);
    programs.executes(pid);
    expect(opened()).toBe(before + 2);
  });
});

test("files are listed by their first mapping, and the program is first", () => {
  using machine = new TracedMachine();
  const { pid } = machine.startChild(() => expect.unreachable());
  machine.texts.set(
    `/proc/${pid}/maps`,
    [
      "1000-2000 r--p 00000000 08:01 5                          /lib/libc.so.6",
      "2000-3000 r-xp 00001000 08:01 5                          /lib/libc.so.6",
      "4000-5000 rw-p 00000000 00:00 0 ",
      "6000-7000 r--p 00000000 08:01 6                          /svc/courier",
      "8000-9000 r--p 00000000 08:01 5                          /lib/libc.so.6",
    ].join("\n"),
  );
  expect(mappedFiles(pid)).toEqual([
    { path: "/svc/courier", address: 0x6000 },
    { path: "/lib/libc.so.6", address: 0x1000 },
  ]);
});

test("the letter tells the state of a thread, and no part of its name does", () => {
  using machine = new TracedMachine();
  const states = ["R", "S", "D", "Z", "X", "t", "T"].map((letter) => {
    machine.texts.set("/proc/1/task/1/stat", `1 (a) D (b) ${letter} 1 (c`.replace(" (c", ""));
    return threadState(1, 1);
  });
  const [alive, waits, ended] = ["can be stopped", "uninterruptible", "ended"] as const;
  expect(states).toEqual([alive, alive, waits, ended, ended, alive, alive]);
});

test("an error that is not the kernel's is not taken for a process that has ended", () => {
  using machine = new TracedMachine();
  machine.plan = () => {
    throw new TypeError("on purpose");
  };
  expect(() => threadState(1, 1)).toThrow("on purpose");
});

test("a refusal in the middle of an executed path is not taken for closed memory", () => {
  const contents = definesEnviron(0, true);
  using life = play({
    follow: "notify",
    child: { contents },
    prepare: (machine) => {
      machine.tracesAllUsers = false;
      machine.announcesUsers = true;
      machine.plan = (call) => {
        const process = machine.thread(call.tid ?? 0)?.process;
        if (process?.isClosed === true) refusesAll("ptrace PEEKDATA", 14)(call);
      };
    },
    steps: [
      {
        kind: "fork",
        child: function* behavior() {
          yield { kind: "change user", user: 7 };
          yield { kind: "execute", path: "/bin/child" };
        },
      },
    ],
  });
  expect(life.lines.map(({ message }) => message)).toEqual([
    "put the secrets into the program: ptrace: EFAULT: killed it",
  ]);
});
