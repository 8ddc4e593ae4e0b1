import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { findElfSymbol } from "./elf-symbol.ts";

const library = realpathSync("/lib64/ld-linux-x86-64.so.2");
const known = "_rtld_global";

describe("findElfSymbol", () => {
  test("finds a variable at readelf's address", () => {
    const lines = Bun.spawnSync(["readelf", "-W", "--dyn-syms", library]).stdout.toString();
    const line = lines.split("\n").find((text) => text.includes(` ${known}@`)) ?? "";
    const value = Number.parseInt(line.trim().split(/\s+/)[1] ?? "", 16);
    const found = findElfSymbol(library, new Set(["none", known]));
    expect(found).toEqual({ value, absolute: false });
  });

  test("finds no function, and nothing that is not there", () => {
    expect(findElfSymbol(library, new Set(["__tls_get_addr"]))).toBeUndefined();
    expect(findElfSymbol(library, new Set(["none"]))).toBeUndefined();
  });

  const bytes = new Uint8Array(readFileSync(library));
  const rows: readonly (readonly [name: string, bytes: Uint8Array])[] = [
    ["is empty", new Uint8Array(0)],
    ["is not a program", new TextEncoder().encode("#!/bin/sh\n".repeat(20))],
    ["has been cut off", bytes.slice(0, 4096)],
    ["has 32 bits", Uint8Array.from(bytes, (byte, index) => (index === 4 ? 1 : byte))],
    ["leads out of itself", Uint8Array.from(bytes, (byte, at) => (at === 45 ? 0xff : byte))],
  ];
  for (const [name, content] of rows) {
    test(`finds nothing in a file that ${name}`, () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "file");
      writeFileSync(path, content);
      const before = readdirSync("/proc/self/fd").length;
      expect(findElfSymbol(path, new Set([known]))).toBeUndefined();
      expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
    });
  }

  test("finds nothing if there is no file", () => {
    expect(findElfSymbol("/nowhere", new Set([known]))).toBeUndefined();
    expect(findElfSymbol("/dev/null", new Set([known]))).toBeUndefined();
  });
});
