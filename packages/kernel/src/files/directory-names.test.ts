import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryNames } from "./directory-names.ts";

describe("directoryNames", () => {
  test("gives the names of files and folders, of an empty folder none", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-names-"));
    try {
      expect(directoryNames(folder)).toEqual([]);
      for (const name of ["a", "grün", ".hidden", "x".repeat(255)]) {
        writeFileSync(join(folder, name), "");
      }
      mkdirSync(join(folder, "folder"));
      expect([...directoryNames(folder)].sort()).toEqual(readdirSync(folder).sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("gives those of a folder that takes several calls", () => {
    const names = directoryNames("/usr/bin");
    expect([...names].sort()).toEqual(readdirSync("/usr/bin").sort());
    expect(names.length).toBeGreaterThan(100);
  });

  test("refuses a path that is not a folder", () => {
    expect(() => directoryNames("/proc/self/status")).toThrow("ENOTDIR");
    expect(() => directoryNames("/nonexistent")).toThrow("ENOENT");
  });
});
