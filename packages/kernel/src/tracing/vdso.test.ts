import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readVdso } from "./vdso.ts";

test("readVdso reads the whole mapping, an ELF file", () => {
  const maps = readFileSync("/proc/self/maps", "latin1");
  const [, start = "0", end = "0"] = /^(\w+)-(\w+) .*\[vdso\]$/m.exec(maps) ?? [];
  const vdso = readVdso();
  expect(vdso?.length ?? 0).toBe(Number.parseInt(end, 16) - Number.parseInt(start, 16));
  if (vdso !== undefined) expect([...vdso.subarray(0, 4)]).toEqual([0x7f, 0x45, 0x4c, 0x46]);
});
