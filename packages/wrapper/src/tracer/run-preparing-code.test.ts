import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { architecture } from "@svc/kernel";
import { temporaryFolder } from "@svc/testing";
import { prepareCode } from "./prepare-code.ts";

const SOURCE = join(import.meta.dir, "../../testdata/runs-preparing-code.c");
const CLOSES = 2;
const GOES_ON = 8;
const MiB = 2 ** 20;

// e2e/arm64 runs the other one, in a guest.
const describeHere = architecture === "x64" ? describe : () => undefined;
describeHere("the preparing code, run here", () => {
  const folder = temporaryFolder();
  const runner = join(folder.path, "runs-preparing-code");
  const code = join(folder.path, "prepare.bin");

  beforeAll(() => {
    writeFileSync(code, prepareCode[architecture] ?? new Uint8Array(0));
    const built = run(["cc", "-O1", "-Wall", "-Werror", "-o", runner, SOURCE]);
    expect(built, built.output).toEqual({ exitCode: 0, output: "" });
  });
  afterAll(() => folder[Symbol.dispose]());

  const rows: readonly (readonly [
    name: string,
    how: { readonly how: string; readonly flags: number; readonly textBytes?: number },
    end: { readonly exitCode: number; readonly output: string },
  ])[] = [
    [
      "points the variable at the region and wipes the copy",
      { how: "given", flags: CLOSES, textBytes: 0 },
      { exitCode: 0, output: "pointed, copy wiped, another copy\n" },
    ],
    [
      "finds another copy behind 3 MiB of text",
      { how: "given", flags: CLOSES, textBytes: 3 * MiB },
      { exitCode: 0, output: "pointed, copy wiped, another copy\n" },
    ],
    [
      "searches 4 MiB of text for another copy",
      { how: "given", flags: CLOSES, textBytes: 4 * MiB },
      { exitCode: 0, output: "pointed, copy wiped, no other copy\n" },
    ],
    [
      "goes to the program's beginning",
      { how: "given", flags: CLOSES + GOES_ON },
      { exitCode: 42, output: "" },
    ],
    [
      "says which error it met",
      { how: "refused", flags: CLOSES },
      { exitCode: 0, output: "refused EFAULT\n" },
    ],
    [
      "goes to the program's beginning if it gets no descriptor",
      { how: "refused", flags: CLOSES + GOES_ON },
      { exitCode: 42, output: "" },
    ],
    [
      "ends with 125 if its listener is gone",
      { how: "alone", flags: CLOSES + GOES_ON },
      { exitCode: 125, output: "" },
    ],
  ];
  for (const [name, { how, flags, textBytes = 0 }, end] of rows) {
    test(name, () => {
      expect(run([runner, code, `${flags}`, how, `${textBytes}`])).toEqual(end);
    });
  }
});

function run(command: readonly string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command]);
  return { exitCode, output: `${stdout}${stderr}` };
}
