import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { hasWriters } from "@svc/kernel";
import { temporaryFolder } from "@svc/testing";
import { machineOf } from "../runtimes/find-runtimes.ts";
import { ExecutableReader, SETTLED_MS } from "./read-executable.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const machine = machineOf({ machinePids: false });
const elf = Buffer.concat([Buffer.from("\x7fELF"), Buffer.from("program")]);
const digestOf = (content: Buffer) => createHash("sha256").update(content).digest("hex");

/** When all that was written in this test has settled. */
const later = () => Date.now() + 2 * SETTLED_MS;

function tool(content: string | Buffer = elf): string {
  const path = join(folder.path, crypto.randomUUID());
  writeFileSync(path, content);
  return path;
}

/** Descriptors of this process that lead to a path. */
function openDescriptors(path: string): number {
  return readdirSync("/proc/self/fd").filter((fd) => linkOf(fd)?.startsWith(path)).length;
}

function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

describe("ExecutableReader", () => {
  test("takes the digest of a file that has settled", () => {
    using reader = new ExecutableReader(machine, later);
    const found = reader.read(tool());
    expect(found.kind === "file" && found.facts).toMatchObject({
      ...{ sha256: digestOf(elf), size: BigInt(elf.length) },
    });
  });

  test("follows links of the machine, and no others", () => {
    using reader = new ExecutableReader({ ...machine, root: folder.path }, later);
    const path = tool();
    symlinkSync(path.slice(folder.path.length), join(folder.path, "inside"));
    expect(reader.read("/inside").kind).toBe("file");
    symlinkSync("/proc/self/exe", join(folder.path, "outside"));
    expect(reader.read("/outside")).toEqual(unusable("there is no such file"));
    symlinkSync("self", join(folder.path, "self"));
    expect(reader.read("/self").kind).toBe("unusable");
  });

  const rows: readonly (readonly [name: string, path: () => string, reason: string])[] = [
    ["that is not there", () => join(folder.path, "none"), "there is no such file"],
    ["that is a folder", () => folder.path, "not a regular file"],
    ["that is a device", () => "/dev/zero", "not a regular file"],
    ["of a script", () => tool("#!/bin/sh\n"), "not an ELF file"],
    ["that is empty", () => tool(""), "not an ELF file"],
    ["of procfs", () => "/proc/version", "its file system, proc, does not hold a digest"],
    ["that is a link of procfs", () => "/proc/self/exe", "ELOOP"],
    ["that is too large", tooLarge, "more than 1073741824"],
  ];
  for (const [name, path, reason] of rows) {
    test(`has no digest of a file ${name}`, () => {
      using reader = new ExecutableReader(machine, later);
      const given = path();
      const found = reader.read(given);
      expect(found.kind === "unusable" && found.reason).toContain(reason);
      expect(openDescriptors(given)).toBe(0);
    });
  }

  test("waits until a change would give the file another change time", () => {
    const path = tool();
    using young = new ExecutableReader(machine);
    expect(young.read(path)).toEqual(unusable("it was changed less than 2 s ago"));
    using past = new ExecutableReader(machine, () => Date.now() - 60_000);
    expect(past.read(path)).toEqual(unusable("its change time is in the future"));
  });

  test("has no digest while a process may write to the file, which that does not notice", () => {
    const path = tool();
    using reader = new ExecutableReader(machine, later);
    const writer = openSync(path, "r+");
    expect(reader.read(path)).toEqual(unusable("a process has it open for writing"));
    closeSync(writer);
    expect(reader.read(path).kind).toBe("file");
    const again = openSync(path, "r");
    expect(hasWriters(again)).toBe(false);
    closeSync(again);
  });

  test("takes the digest again when the file was written to, replaced or touched", () => {
    using reader = new ExecutableReader(machine, later);
    const path = tool();
    const digests = new Set<string>();
    const note = () => {
      const found = reader.read(path);
      if (found.kind === "file") digests.add(`${found.facts.sha256} ${found.facts.changedNs}`);
    };
    note();
    note();
    expect(digests.size).toBe(1);
    appendFileSync(path, "more");
    note();
    const other = tool();
    renameSync(other, path);
    note();
    chmodSync(path, 0o755);
    note();
    expect(digests.size).toBe(4);
    expect(openDescriptors(path)).toBe(1);
  });

  test("keeps the file open, so that no other file has its number, and closes it", () => {
    const reader = new ExecutableReader(machine, later);
    const [one, two] = [tool(), tool()];
    for (const path of [one, two]) expect(reader.read(path).kind).toBe("file");
    expect([one, two].map(openDescriptors)).toEqual([1, 1]);
    reader.keepOnly(new Set([two]));
    expect([one, two].map(openDescriptors)).toEqual([0, 1]);
    rmSync(two);
    expect(reader.read(two)).toEqual(unusable("there is no such file"));
    expect(openDescriptors(two)).toBe(0);
    expect(reader.read(one).kind).toBe("file");
    reader[Symbol.dispose]();
    expect(openDescriptors(one)).toBe(0);
  });

  test("knows a real program", () => {
    const path = join(folder.path, "dd");
    mkdirSync(folder.path, { recursive: true });
    copyFileSync("/bin/dd", path);
    using reader = new ExecutableReader(machine, later);
    expect(reader.read(path).kind).toBe("file");
  });
});

function unusable(reason: string) {
  return { kind: "unusable" as const, reason };
}

/** Without blocks on the disk. */
function tooLarge(): string {
  const path = tool();
  truncateSync(path, 1024 ** 3 + 1);
  return path;
}
