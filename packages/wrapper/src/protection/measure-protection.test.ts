import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import process from "node:process";
import { readWholeFile } from "@svc/kernel";
import { waitFor } from "@svc/testing";
import type { VaultAuth } from "../settings/vault-auth.ts";
import { type HeldToken, type MeasuredProgram, measureProtection } from "./measure-protection.ts";

/** Above the largest number of a process; proc(5), pid_max. */
const ABSENT = 2 ** 22 + 1;
const isRoot = process.getuid?.() === 0;
const held: HeldToken = {
  isHeld: false,
  memory: "memfd_secret",
  auth: { method: "token", source: { kind: "unseal" } },
};
let program: Bun.Subprocess;

beforeAll(async () => {
  program = Bun.spawn(["/bin/sleep", "600"], { env: { DB_USER: "a", DB_KEY: "", PATH: "/bin" } });
  // It has its environment with its execve.
  const isThere = () =>
    new TextDecoder()
      .decode(readWholeFile(`/proc/${program.pid}/environ`, 1 << 16))
      .startsWith("DB_USER=a");
  await waitFor(isThere, { deadlineMs: 30_000, what: "the program to have its environment" });
});
afterAll(() => program.kill("SIGKILL"));

function measured(more: Partial<MeasuredProgram>) {
  return measureProtection({
    ...{ pid: program.pid, delivery: "inject", memory: "memfd_secret", placed: false },
    ...{ variables: ["DB_USER", "DB_KEY"], courierLocked: true, token: held },
    ...more,
  });
}

const noRegion = { kind: "unmeasured", reason: "the program has no region mapped" } as const;
const gone = { kind: "unmeasured", reason: expect.stringContaining("ENOENT") } as const;

describe("the values are", () => {
  test.each([
    ["on the stack", { delivery: "env" }, { kind: "stack", dumped: expect.any(Boolean) }],
    [
      "behind a descriptor",
      { delivery: "library" },
      { kind: "descriptor", memory: "memfd_secret" },
    ],
    ["not found if no region is mapped", {}, noRegion],
    [
      "in the region that the tracer has mapped, if /proc shows none",
      { placed: true },
      {
        kind: "region",
        memory: "memfd_secret",
        locked: true,
        dumped: false,
      },
    ],
    ["not found in a program that is gone", { pid: ABSENT }, gone],
    ["not found on the stack of one that is gone", { pid: ABSENT, delivery: "env" }, gone],
  ] as const)("%s", (_, more, values) => {
    expect(measured(more).values).toEqual(values);
  });
});

describe("the environment", () => {
  test.each([
    ["shows the values of env", { delivery: "env" }, { kind: "values", variables: 2 }],
    ["shows values that are not empty", {}, { kind: "values", variables: 1 }],
    ["is clean without them", { variables: ["OTHER"] }, { kind: "clean" }],
    ["is not measured in a program that is gone", { pid: ABSENT }, gone],
    ["counts as clean if the kernel hides it", { pid: ABSENT, placed: true }, { kind: "clean" }],
    [
      "shows values of a program that was prepared",
      { placed: true },
      { kind: "values", variables: 1 },
    ],
  ] as const)("%s", (_, more, environ) => {
    expect(measured(more).environ).toEqual(environ);
  });
});

describe("the token is", () => {
  const file: VaultAuth = { method: "token", source: { kind: "file", path: "/run/token" } };
  test.each([
    ["not there", {}, { kind: "none" }],
    ["in a file", { auth: file, isHeld: true }, { kind: "exposed", where: "it is in a file" }],
    [
      "open to others of a dumpable process",
      { isHeld: true },
      {
        kind: "exposed",
        where: "the wrapper is dumpable",
      },
    ],
  ] as const)("%s", (_, more, token) => {
    expect(measured({ token: { ...held, ...more } }).token).toEqual(token);
  });
});

test("/proc shows whether a program is dumpable, unless it is one of root", () => {
  const { dumpable } = measured({});
  expect(dumpable.kind).toBe(isRoot ? "unmeasured" : "yes");
  expect(measured({ pid: ABSENT }).dumpable).toEqual(gone);
});

test("the delivery and the courier's lock are told as they are given", () => {
  expect(measured({ courierLocked: false })).toMatchObject({
    ...{ delivery: "inject", courierLocked: false },
  });
});
