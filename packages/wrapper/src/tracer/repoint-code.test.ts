import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { registerLayouts } from "./register-layout.ts";
import { repointCode } from "./repoint-code.ts";

describe("the repoint code", () => {
  const assemblers: Readonly<Record<string, { tools: string; flags: readonly string[] }>> = {
    x64: { tools: "", flags: ["--64"] },
    arm64: { tools: "aarch64-linux-gnu-", flags: [] },
  };
  for (const [architecture, { tools, flags }] of Object.entries(assemblers)) {
    test(`of ${architecture} is what its source assembles to`, async () => {
      using folder = temporaryFolder();
      const object = join(folder.path, "repoint.o");
      const text = join(folder.path, "repoint.bin");
      const source = join(import.meta.dir, `repoint.${architecture}.s`);
      run([`${tools}as`, ...flags, "-o", object, source]);
      run([`${tools}objcopy`, "-O", "binary", "-j", ".text", object, text]);
      const assembled = new Uint8Array(await Bun.file(text).arrayBuffer());
      expect(repointCode[architecture]?.toHex()).toBe(assembled.toHex());
    });

    test(`of ${architecture} ends in a system call, which its tracer waits for`, () => {
      const code = repointCode[architecture] ?? new Uint8Array(0);
      const instruction = registerLayouts[architecture]?.systemCallInstruction.toHex() ?? "none";
      expect(code.toHex().endsWith(instruction)).toBe(true);
    });
  }
});

function run(command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command]);
  expect(exitCode, stderr.toString()).toBe(0);
}
