import { describe, expect, test } from "bun:test";
import { SyscallError } from "@svc/kernel";
import { VaultError } from "@svc/vault";
import { wrapperErrorCatalogue } from "./error-catalogue.ts";
import { exitCodeOf, failure, failuresOf, WrapperError } from "./errors.ts";

const notFound = failure("PROGRAM_NOT_FOUND", "start x: no such program");
const denied = failure("VAULT_FAILED", "read y: denied", "ask for access");

describe("failure", () => {
  test("takes the hint of the catalogue if none is given", () => {
    expect(notFound.hint).toBe(wrapperErrorCatalogue.PROGRAM_NOT_FOUND.hint);
    expect(denied.hint).toBe("ask for access");
  });
});

describe("exitCodeOf", () => {
  const rows: readonly (readonly [
    name: string,
    failures: Parameters<typeof exitCodeOf>[0],
    code: number,
  ])[] = [
    ["is 127 for a program that is not found", [notFound], 127],
    ["is 126 for one that does not run", [failure("PROGRAM_NOT_EXECUTABLE", "x")], 126],
    ["is 125 for the wrapper's own failures", [denied], 125],
    ["is that of the first of several", [notFound, denied], 127],
    ["is 125 if no failure is named", [], 125],
  ];
  for (const [name, failures, code] of rows) {
    test(name, () => {
      expect(exitCodeOf(failures)).toBe(code);
    });
  }
});

describe("WrapperError", () => {
  test("says everything that is wrong, and keeps the cause", () => {
    const cause = new SyscallError("open", 2);
    const error = new WrapperError([notFound, denied], cause);
    expect(error.message).toBe("start x: no such program; read y: denied");
    expect(error).toMatchObject({ name: "WrapperError", cause });
  });
});

describe("failuresOf", () => {
  const rows: readonly (readonly [name: string, thrown: unknown, message: string])[] = [
    ["names the class of an unknown error only", new Error("canary"), "unexpected Error"],
    ["names the class of a programmer's error", new TypeError("canary"), "unexpected TypeError"],
    [
      "says which call was a mistake",
      new SyscallError("close", 9),
      "unexpected SyscallError: close: EBADF",
    ],
    ["repeats no text that was thrown", "canary", "unexpected string"],
    ["survives undefined", undefined, "unexpected undefined"],
    ["repeats nothing of the vault's", new VaultError("DENIED", "canary"), "unexpected VaultError"],
  ];
  for (const [name, thrown, message] of rows) {
    test(name, () => {
      expect(failuresOf(thrown)).toEqual([failure("INTERNAL", message)]);
    });
  }

  const refused = "the kernel refuses a system call: ";
  for (const [name, thrown, code, message] of [
    ["of memory", new SyscallError("mmap", 12), "SYSTEM_CALL_REFUSED", `${refused}mmap: ENOMEM`],
    ["of a filter", new SyscallError("prctl", 1), "SYSTEM_CALL_REFUSED", `${refused}prctl: EPERM`],
    [
      "of the host's",
      Object.assign(new Error("getrandom"), { syscall: "getrandom", errno: 38 }),
      "SYSTEM_CALL_REFUSED",
      `${refused}getrandom: ENOSYS`,
    ],
    [
      "of a limit of descriptors",
      new SyscallError("pipe2", 24),
      "DESCRIPTOR_LIMIT",
      "open a descriptor: pipe2: EMFILE",
    ],
  ] as const) {
    test(`names the call and the errno of a refusal ${name}`, () => {
      expect(failuresOf(thrown)).toEqual([failure(code, message)]);
    });
  }

  test("returns the failures of a WrapperError", () => {
    expect(failuresOf(new WrapperError([notFound, denied]))).toEqual([notFound, denied]);
  });
});
