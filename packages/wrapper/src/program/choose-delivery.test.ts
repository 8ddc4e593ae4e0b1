import { describe, expect, test } from "bun:test";
import { chooseDelivery, type DeliveryConditions, mayBeImpossible } from "./choose-delivery.ts";
import type { ElfFacts } from "./elf-file.ts";
import type { ProgramFacts } from "./inspect-program.ts";

const X64 = 62;
const ARM64 = 183;
const dynamic: ElfFacts = { machine: X64, bits: 64, loader: "/lib64/ld.so", dynamic: true };
const plain: ProgramFacts = {
  elf: dynamic,
  readable: true,
  raisesPrivileges: false,
  importsLibrary: false,
  isLauncher: false,
};
const conditions: DeliveryConditions = {
  setting: "auto",
  program: plain,
  tracingImpossible: undefined,
  preloadImpossible: undefined,
  machine: X64,
};
const noTracing = { tracingImpossible: "ptrace: EPERM" };
const noInterposer = { preloadImpossible: "there is no interposer" };
const program = (facts: Partial<ProgramFacts>) => ({ program: { ...plain, ...facts } });
const elf = (facts: Partial<ElfFacts>) => program({ elf: { ...dynamic, ...facts } });

describe("chooseDelivery by auto", () => {
  const rows: readonly (readonly [
    name: string,
    change: Partial<DeliveryConditions>,
    rung: string,
    reason: string,
  ])[] = [
    ["any program", {}, "inject", "nothing in the program has to change"],
    ["a static one", elf({ loader: undefined }), "inject", "nothing in the program has to change"],
    [
      "one that uses the library",
      program({ importsLibrary: true }),
      "library",
      "the program uses the Go library",
    ],
    [
      "a launcher",
      program({ isLauncher: true }),
      "inject",
      "the program is a launcher: what it starts is followed",
    ],
    ["tracing forbidden", noTracing, "preload", "no inject: ptrace: EPERM"],
    [
      "tracing forbidden, and no interposer",
      { ...noTracing, ...noInterposer },
      "env",
      "no inject: ptrace: EPERM; no preload: there is no interposer",
    ],
    [
      "tracing forbidden, and a static program",
      { ...noTracing, ...elf({ loader: undefined }) },
      "env",
      "no inject: ptrace: EPERM; no preload: the program is static",
    ],
    [
      "a program that raises privileges",
      program({ raisesPrivileges: true }),
      "env",
      "no inject, no preload: the program's file raises privileges",
    ],
    [
      "a program of 32 bits",
      elf({ bits: 32 }),
      "env",
      "no inject, no preload: the program has 32 bits",
    ],
    [
      "a program for another architecture",
      elf({ machine: ARM64 }),
      "env",
      "no inject, no preload: the program is for another architecture",
    ],
    [
      "a program that cannot be read",
      program({ readable: false, elf: undefined }),
      "env",
      "no inject, no preload: the program's file cannot be read",
    ],
    [
      "something that is no ELF file",
      program({ elf: undefined }),
      "env",
      "no inject, no preload: the program is not an ELF file",
    ],
  ];
  for (const [name, change, rung, reason] of rows) {
    test(`takes ${rung} for ${name}`, () => {
      expect(chooseDelivery({ ...conditions, ...change })).toMatchObject({ rung, reason });
    });
  }

  test("follows a launcher, and nothing else", () => {
    const launcher = chooseDelivery({ ...conditions, ...program({ isLauncher: true }) });
    expect(launcher).toMatchObject({ follow: true });
    expect(chooseDelivery(conditions)).toMatchObject({ follow: false });
  });

  test("lets a program that raises privileges start untraced", () => {
    const raised = chooseDelivery({ ...conditions, ...program({ raisesPrivileges: true }) });
    expect(raised).toMatchObject({ untraced: true });
    expect(chooseDelivery(conditions)).toMatchObject({ untraced: false });
  });
});

describe("chooseDelivery by a fixed setting", () => {
  const rows: readonly (readonly [
    setting: DeliveryConditions["setting"],
    change: Partial<DeliveryConditions>,
    rung: string,
    reason: string,
  ])[] = [
    ["library", {}, "library", "SVC_DELIVERY is library"],
    ["env", program({ importsLibrary: true }), "env", "SVC_DELIVERY is env"],
    ["inject", program({ importsLibrary: true }), "inject", "SVC_DELIVERY is inject"],
    ["preload", {}, "preload", "SVC_DELIVERY is preload"],
    ["inject", noTracing, "impossible", "inject: ptrace: EPERM"],
    ["inject", elf({ bits: 32 }), "impossible", "inject: the program has 32 bits"],
    ["preload", elf({ loader: undefined }), "impossible", "preload: the program is static"],
    ["preload", noInterposer, "impossible", "preload: there is no interposer"],
  ];
  for (const [setting, change, rung, reason] of rows) {
    test(`${setting} gives ${rung}: ${reason}`, () => {
      expect(chooseDelivery({ ...conditions, ...change, setting })).toMatchObject({ rung, reason });
      if (rung === "impossible") expect(mayBeImpossible(setting)).toBe(true);
    });
  }
});
