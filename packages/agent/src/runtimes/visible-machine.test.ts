import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { visibleMachine } from "./visible-machine.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** A folder as procfs, with the mount namespaces of processes. */
function procWith(namespaces: Readonly<Record<string, number>>, first?: "first"): string {
  const proc = join(folder.path, crypto.randomUUID());
  for (const [process, number] of Object.entries(namespaces)) {
    mkdirSync(join(proc, process, "ns"), { recursive: true });
    symlinkSync(`mnt:[${number}]`, join(proc, process, "ns/mnt"));
  }
  if (first === "first") {
    mkdirSync(join(proc, "1/root"));
    writeFileSync(join(proc, "1/mountinfo"), "");
  }
  return proc;
}

describe("visibleMachine", () => {
  const inMachine = { machinePids: true };

  test("is the first process's, if that can be read", () => {
    const proc = procWith({ 1: 5, 2: 5, self: 6 }, "first");
    expect(visibleMachine(inMachine, proc)?.root).toBe(`${proc}/1/root`);
  });

  test("is this process's own, if the kernel's threads have that as well", () => {
    const proc = procWith({ 2: 5, self: 5 });
    expect(visibleMachine(inMachine, proc)).toEqual({
      ...{ root: "/", mountinfo: `${proc}/self/mountinfo` },
      mountNamespace: `${proc}/self/ns/mnt`,
    });
  });

  const unknown: readonly (readonly [string, Readonly<Record<string, number>>])[] = [
    ["whose first process cannot be read, from a container", { 1: 5, 2: 5, self: 6 }],
    ["of which nothing can be read", { self: 5 }],
    ["and a process that cannot read its own", { 2: 5 }],
  ];
  for (const [name, namespaces] of unknown) {
    test(`is not known of a machine ${name}`, () => {
      expect(visibleMachine(inMachine, procWith(namespaces))).toBeUndefined();
    });
  }

  test("is not known to a process with its own numbers of processes", () => {
    const proc = procWith({ 1: 5, 2: 5, self: 5 }, "first");
    expect(visibleMachine({ machinePids: false }, proc)).toBeUndefined();
  });
});
