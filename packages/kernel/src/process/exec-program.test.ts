import { describe, expect, test } from "bun:test";
import { descriptorsLeftBy } from "../../testdata/open-descriptors.ts";
import { runFixture } from "../../testdata/run-fixture.ts";
import { cString, stringVector } from "../libc/c-strings.ts";
import { execProgram } from "./exec-program.ts";

describe("execProgram", () => {
  // 128 KiB with the NUL is the longest string that execve(2) takes.
  const tooLong = `X=${"x".repeat(131_072)}`;
  const rows: readonly (readonly [name: string, path: string, entry: string, code: string])[] = [
    ["a program that is not there", "/nonexistent", "A=1", "ENOENT"],
    ["a file that does not run", "/etc/passwd", "A=1", "EACCES"],
    ["a folder", "/etc", "A=1", "EACCES"],
    ["a variable of more than 128 KiB", "/bin/true", tooLong, "E2BIG"],
  ];
  for (const [name, path, entry, code] of rows) {
    test(`throws ${code} for ${name}, and leaves no descriptor`, () => {
      const argv = stringVector([cString(path)]);
      const envp = stringVector([cString(entry)]);
      const left = descriptorsLeftBy(() => {
        const exec = () => execProgram(new TextEncoder().encode(path), argv, envp);
        expect(exec).toThrow(expect.objectContaining({ syscall: "execve", code }));
      });
      expect(left).toEqual([]);
    });
  }

  test("becomes the program with the given environment and nothing of ours", () => {
    const entry = Buffer.from("A=1").toString("hex");
    const words = ["prints-environment", JSON.stringify([entry])];
    expect(runFixture("execs", { words, env: { OURS: "x" } })).toMatchObject({
      entries: [{ name: "A", value: "31" }],
    });
  });
});
