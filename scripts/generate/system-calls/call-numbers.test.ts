import { describe, expect, test } from "bun:test";
import { systemCallTable } from "@svc/kernel";
import { callNumbers, numbersIn } from "./call-numbers.ts";
import { machines } from "./machines.ts";

function header(machine: string, prefix: string) {
  const found = machines
    .find(({ name }) => name === machine)
    ?.numberings.find((numbering) => numbering.prefix === prefix);
  if (found === undefined) throw new TypeError(`there is no numbering ${prefix} of ${machine}`);
  return found.header;
}

describe("the kernel's headers say of", () => {
  const x32 = 0x4000_0000;
  // arch/x86/entry/syscalls/*.tbl, include/uapi/asm-generic/unistd.h and
  // arch/arm/tools/syscall.tbl.
  test.each([
    ["x86", "NATIVE", { read: 0, ptrace: 101, mmap: 9, pidfd_getfd: 438 }, ["mmap2", "sendfile64"]],
    ["x86", "X32", { read: x32, ptrace: x32 + 521, execve: x32 + 520 }, ["mmap2"]],
    [
      "x86",
      "COMPAT",
      { read: 3, ptrace: 26, mmap: 90, mmap2: 192, openat: 295 },
      ["kexec_file_load"],
    ],
    ["arm64", "NATIVE", { read: 63, ptrace: 117, mmap: 222, sendfile: 71 }, ["open", "readlink"]],
    ["arm64", "COMPAT", { read: 3, ptrace: 26, mmap2: 192, openat: 322, splice: 340 }, ["mmap"]],
  ])("%s %s the well-known numbers", (machine, prefix, known, lacked) => {
    const numbers = callNumbers(header(machine, prefix), [...Object.keys(known), ...lacked]);
    expect(Object.fromEntries(numbers)).toEqual(known);
  });

  test.each([
    ["x86", "x64"],
    ["arm64", "arm64"],
  ])("%s the same as packages/kernel", (machine, architecture) => {
    const { changesOfUser: _, ...table } = systemCallTable(architecture);
    const names = Object.keys(table);
    expect(Object.fromEntries(callNumbers(header(machine, "NATIVE"), names))).toEqual(table);
  });
});

test("headers that are not there are named, with their package", () => {
  const absent = {
    ...{ folder: "/nonexistent", header: "asm/unistd.h", macros: [] },
    debianPackage: "linux-libc-dev-none-cross",
  };
  expect(() => callNumbers(absent, ["read"])).toThrow("Debian's package linux-libc-dev-none-cross");
});

describe("from the preprocessor's output", () => {
  test.each<[string, string, [string, number][]]>([
    ["a number is one", "svc_number read = 63", [["read", 63]]],
    ["a sum is added up", "svc_number read = (0x40000000 + 19)", [["read", 0x4000_0013]]],
    ["a name that stayed is of no call", "svc_number open = __NR_open", []],
    ["other lines are nothing", "typedef int x;\n\nsvc_number kill = 129\n", [["kill", 129]]],
  ])("%s", (_, text, numbers) => {
    expect([...numbersIn(text)]).toEqual(numbers);
  });

  test("a text that is not a number is an error", () => {
    expect(() => numbersIn("svc_number read = sizeof(int)")).toThrow(
      'read the number of read: got "sizeof(int)"',
    );
  });
});
