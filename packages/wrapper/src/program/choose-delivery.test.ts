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
};
const conditions: DeliveryConditions = {
  setting: "auto",
  follow: "auto",
  notify: () => undefined,
  program: plain,
  tracingImpossible: undefined,
  preloadImpossible: undefined,
  largeValues: undefined,
  machine: X64,
};
const noTracing = { tracingImpossible: "ptrace: EPERM" };
const large = { largeValues: "KEY is large" };
const noNotify = { notify: () => "no filter" };
const noInterposer = { preloadImpossible: "there is no interposer" };
const program = (facts: Partial<ProgramFacts>) => ({ program: { ...plain, ...facts } });
const elf = (facts: Partial<ElfFacts>) => program({ elf: { ...dynamic, ...facts } });

describe("chooseDelivery by auto", () => {
  const rows: readonly (readonly [
    name: string,
    change: Partial<DeliveryConditions>,
    delivery: string,
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
      "a program whose children cannot be announced",
      noNotify,
      "preload",
      "no execve can be announced: no filter",
    ],
    [
      "a static one whose children cannot be announced",
      { ...noNotify, ...elf({ loader: undefined }) },
      "inject",
      "nothing in the program has to change",
    ],
    [
      "a program with AddressSanitizer whose children cannot be announced",
      { ...noNotify, ...elf({ sanitizer: "libasan.so.8" }) },
      "env",
      "no execve can be announced: no filter; no preload: the program's libasan.so.8 (AddressSanitizer) has to be loaded first",
    ],
    [
      "a program with AddressSanitizer that cannot be traced",
      { ...noTracing, ...elf({ sanitizer: "libasan.so.8" }) },
      "env",
      "no inject: ptrace: EPERM; no preload: the program's libasan.so.8 (AddressSanitizer) has to be loaded first",
    ],
    ["large values", large, "preload", "by inject it could start no program: KEY is large"],
    [
      "large values, and a static program",
      { ...large, ...elf({ loader: undefined }) },
      "inject",
      "nothing in the program has to change",
    ],
    [
      "large values, and no interposer",
      { ...large, ...noInterposer },
      "inject",
      "nothing in the program has to change",
    ],
    [
      "large values, and the library",
      { ...large, ...program({ importsLibrary: true }) },
      "library",
      "the program uses the Go library",
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
      "a file that is not an ELF file",
      program({ elf: undefined }),
      "env",
      "no inject, no preload: the program is not an ELF file",
    ],
  ];
  for (const [name, change, delivery, reason] of rows) {
    test(`takes ${delivery} for ${name}`, () => {
      expect(chooseDelivery({ ...conditions, ...change })).toMatchObject({ delivery, reason });
    });
  }

  const following: readonly (readonly [
    name: string,
    change: Partial<DeliveryConditions>,
    follow: string,
  ])[] = [
    ["any program", {}, "notify"],
    ["a program by SVC_FOLLOW=trace", { follow: "trace" }, "trace"],
    ["a program by SVC_FOLLOW=off", { follow: "off" }, "off"],
    [
      "a static program whose children cannot be announced",
      { ...noNotify, ...elf({ loader: undefined }) },
      "trace",
    ],
    ["a program by SVC_DELIVERY=inject", { setting: "inject", ...noNotify }, "trace"],
    ["a program that loads the interposer", noNotify, "off"],
    ["a program that uses the library", program({ importsLibrary: true }), "off"],
  ];
  for (const [name, change, follow] of following) {
    test(`follows ${name} by ${follow}`, () => {
      expect(chooseDelivery({ ...conditions, ...change })).toMatchObject({ follow });
    });
  }

  test("puts no filter on the process if another way is asked for", () => {
    let asked = 0;
    const notify = () => {
      asked += 1;
      return undefined;
    };
    for (const follow of ["trace", "off"] as const) {
      chooseDelivery({ ...conditions, follow, notify });
    }
    chooseDelivery({ ...conditions, setting: "env", notify });
    expect(asked).toBe(0);
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
    delivery: string,
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
    ["auto", { ...noNotify, follow: "notify" }, "impossible", "SVC_FOLLOW is notify: no filter"],
  ];
  for (const [setting, change, delivery, reason] of rows) {
    test(`${setting} gives ${delivery}: ${reason}`, () => {
      const wanted = { ...conditions, ...change, setting };
      expect(chooseDelivery(wanted)).toMatchObject({ delivery, reason });
      if (delivery === "impossible") expect(mayBeImpossible(wanted)).toBe(true);
    });
  }
});
