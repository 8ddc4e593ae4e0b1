import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { entryCodes, environmentEntryType } from "./entry-code.ts";

describe("the entry code", () => {
  const assemblers: readonly (readonly [machine: number, name: string, prefix: string])[] = [
    [62, "x86-64", process.arch === "x64" ? "" : "x86_64-linux-gnu-"],
    [183, "AArch64", "aarch64-linux-gnu-"],
  ];
  for (const [machine, name, prefix] of assemblers) {
    test(`is for ${name} what an assembler makes of it`, () => {
      const { instructions } = entryCodes[machine] ?? { instructions: [] };
      const bytes = instructions.map(([hex]) => hex).join("");
      const lines = instructions.map(([, assembly]) => assembly);
      expect(bytes.length).toBeGreaterThan(0);
      expect(bytes).toBe(assemble(prefix, lines));
    });
  }

  test("pushes the type that the kernel package asks for", () => {
    const little = Buffer.alloc(4);
    little.writeUInt32LE(environmentEntryType);
    const x64 = entryCodes[62]?.instructions.map(([bytes]) => bytes);
    expect(x64).toContain(`68${little.toString("hex")}`);
    const arm64 = entryCodes[183]?.instructions.map(([, assembly]) => assembly);
    expect(arm64).toContain(`movz x5, #0x${(environmentEntryType & 0xffff).toString(16)}`);
    expect(arm64).toContain(`movk x5, #0x${(environmentEntryType >> 16).toString(16)}, lsl #16`);
  });

  const jumps: readonly (readonly [machine: number, distance: number, hex: string])[] = [
    [62, 5, "e900000000"],
    [62, -0x1000, "e9fbefffff"],
    [183, 8, "02000014"],
    [183, -4, "ffffff17"],
  ];
  for (const [machine, distance, hex] of jumps) {
    test(`jumps over ${distance} bytes on machine ${machine}`, () => {
      const jump = entryCodes[machine]?.jump(distance) ?? new Uint8Array();
      expect(Buffer.from(jump).toString("hex")).toBe(hex);
    });
  }
});

/** The bytes in hexadecimal, made by the GNU tools of a machine. */
function assemble(prefix: string, lines: readonly string[]): string {
  using folder = temporaryFolder();
  const [source, object, raw] = ["a.s", "a.o", "a.bin"].map((name) => join(folder.path, name));
  writeFileSync(source ?? "", `${lines.join("\n")}\n`);
  for (const cmd of [
    [`${prefix}as`, source ?? "", "-o", object ?? ""],
    [`${prefix}objcopy`, "-O", "binary", "-j", ".text", object ?? "", raw ?? ""],
  ]) {
    const { exitCode, stderr } = Bun.spawnSync({ cmd });
    if (exitCode !== 0) throw new Error(`${cmd[0]}: ${stderr}`);
  }
  return readFileSync(raw ?? "", "hex");
}
