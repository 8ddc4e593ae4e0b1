import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { prepareCode } from "./prepare-code.ts";

describe("the preparing code", () => {
  const assemblers: Readonly<Record<string, { tools: string; flags: readonly string[] }>> = {
    x64: { tools: "", flags: ["--64"] },
    arm64: { tools: "aarch64-linux-gnu-", flags: [] },
  };
  for (const [architecture, { tools, flags }] of Object.entries(assemblers)) {
    test(`of ${architecture} equals its assembled source`, async () => {
      using folder = temporaryFolder();
      const object = join(folder.path, "prepare.o");
      const text = join(folder.path, "prepare.bin");
      const source = join(import.meta.dir, `prepare.${architecture}.s`);
      run([`${tools}as`, ...flags, "-o", object, source]);
      // A label that the assembler does not know would be one: the code is not linked.
      expect(run([`${tools}objdump`, "-r", object])).not.toContain("RELOCATION");
      run([`${tools}objcopy`, "-O", "binary", "-j", ".text", object, text]);
      const assembled = new Uint8Array(await Bun.file(text).arrayBuffer());
      expect(prepareCode[architecture]?.toHex()).toBe(assembled.toHex());
    });

    test(`of ${architecture} fits into the page that it is put into`, () => {
      expect(prepareCode[architecture]?.length).toBeLessThan(4096);
    });
  }
});

function run(command: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command]);
  expect(exitCode, stderr.toString()).toBe(0);
  return stdout.toString();
}
