import { describe, expect, test } from "bun:test";
import { readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { goProgram } from "../../testdata/traced-machine/elf-files.ts";
import { type FileHead, readFileHead } from "./elf-file.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const headAt = (path: string): FileHead => readFileHead(bytesOf(path));

const script = (interpreter: string, argument = ""): FileHead => ({
  kind: "script",
  interpreter: bytesOf(interpreter),
  argument: bytesOf(argument),
});
const program = { bits: 64, loader: undefined, dynamic: false } as const;

describe("the head of a file", () => {
  const rows: readonly (readonly [name: string, content: string | Uint8Array, head: FileHead])[] = [
    ["with an interpreter", "#!/bin/sh\necho", script("/bin/sh")],
    ["with spaces around it", "#! \t/bin/sh \t\n", script("/bin/sh")],
    ["with an argument, spaces in it", "#!/bin/env  -S a b \nx", script("/bin/env", "-S a b")],
    ["with an interpreter and no line end", "#!/bin/sh", script("/bin/sh")],
    ["with an interpreter up to a NUL", "#!/bin/sh\0x\n", script("/bin/sh", "\0x")],
    ["whose interpreter is empty", "#! \n/bin/sh", { kind: "other" }],
    ["that is empty", "", { kind: "other" }],
    ["that is a text", "#/bin/sh\n", { kind: "other" }],
    ["that ends within the header of ELF", goProgram("x").subarray(0, 63), { kind: "other" }],
    ["without program headers", goProgram("x"), { kind: "elf", facts: { machine: 0, ...program } }],
    [
      "of 32 bits",
      Uint8Array.from(goProgram("x"), (byte, at) => (at === 4 ? 1 : byte)),
      { kind: "elf", facts: { machine: 0, ...program, bits: 32 } },
    ],
  ];
  for (const [name, content, head] of rows) {
    test(name, () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "file");
      writeFileSync(path, content);
      const before = readdirSync("/proc/self/fd").length;
      expect(headAt(path)).toEqual(head);
      expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
    });
  }

  test("of a program with a loader names it", () => {
    const head = headAt(realpathSync("/bin/sh"));
    expect(head).toMatchObject({ kind: "elf", facts: { bits: 64, dynamic: true } });
    expect(head.kind === "elf" && head.facts.loader).toMatch(/^\/lib.*\/ld-[a-z0-9-]+\.so/);
  });

  test("is unreadable if the file cannot be opened, or is a folder", () => {
    using folder = temporaryFolder();
    expect(headAt(join(folder.path, "none"))).toEqual({ kind: "unreadable" });
    expect(headAt(folder.path)).toEqual({ kind: "unreadable" });
  });
});
