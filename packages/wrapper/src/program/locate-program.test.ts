import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@svc/testing";
import { WrapperError } from "../errors.ts";
import { entriesOf } from "../testdata/entries.ts";
import { locateProgram } from "./locate-program.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "tool"), "", { mode: 0o755 });
  writeFileSync(join(folder.path, "plain"), "", { mode: 0o644 });
});
afterAll(() => folder[Symbol.dispose]());

describe("locateProgram", () => {
  test("takes the words after -- to the byte, and searches the first PATH", () => {
    const words = [bytes("tool"), Uint8Array.of(0xff), bytes("")];
    const environment = entriesOf(`PATH=${folder.path}`, "PATH=/nonexistent");
    expect(locateProgram({ kind: "arguments" }, words, environment)).toEqual({
      path: bytes(`${folder.path}/tool`),
      words,
    });
  });

  test("takes the words of the variables, which win if they are chosen", () => {
    const program = { kind: "variables", words: ["/bin/sh", "-c", "ö"] } as const;
    expect(locateProgram(program, [bytes("tool")], entriesOf())).toEqual({
      path: bytes("/bin/sh"),
      words: ["/bin/sh", "-c", "ö"].map(bytes),
    });
  });

  const rows: readonly (readonly [name: string, word: string, code: string, message: string])[] = [
    ["is missing", "absent", "PROGRAM_NOT_FOUND", 'start "absent": no such program'],
    ["has no name", "", "PROGRAM_NOT_FOUND", 'start "": no such program'],
    ["does not run", "plain", "PROGRAM_NOT_EXECUTABLE", 'start "plain": not an executable file'],
    ["is a folder", "/etc", "PROGRAM_NOT_EXECUTABLE", 'start "/etc": not an executable file'],
  ];
  for (const [name, word, code, message] of rows) {
    test(`fails with ${code} for a program that ${name}`, () => {
      const environment = entriesOf(`PATH=${folder.path}`);
      const locate = () => locateProgram({ kind: "arguments" }, [bytes(word)], environment);
      expect(locate).toThrow(WrapperError);
      expect(locate).toThrow(
        expect.objectContaining({ failures: [expect.objectContaining({ code, message })] }),
      );
    });
  }

  test("fails with PROGRAM_NOT_FOUND if there are no words at all", () => {
    expect(() => locateProgram({ kind: "arguments" }, [], entriesOf())).toThrow(
      expect.objectContaining({
        failures: [expect.objectContaining({ code: "PROGRAM_NOT_FOUND" })],
      }),
    );
  });
});
