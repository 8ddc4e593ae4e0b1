import { describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { openDescriptors } from "../../testdata/open-descriptors.ts";
import { copyFile } from "./copy-file.ts";
import { pathStatus } from "./path-status.ts";

describe("copyFile", () => {
  for (const length of [0, 1, 131_072, 300_000]) {
    test(`copies a file of ${length} bytes`, () => {
      using folder = temporaryFolder();
      const [from, to] = [join(folder.path, "from"), join(folder.path, "to")];
      const bytes = new Uint8Array(length).map((_, index) => index % 251);
      writeFileSync(from, bytes);
      const before = openDescriptors();
      copyFile(from, to);
      expect(openDescriptors()).toEqual(before);
      expect(new Uint8Array(readFileSync(to))).toEqual(bytes);
      expect(pathStatus(to).mode).toBe(0o600);
    });
  }

  test("copies by hand a file of /proc, which the kernel does not copy", () => {
    using folder = temporaryFolder();
    const to = join(folder.path, "to");
    copyFile("/proc/version", to);
    expect(readFileSync(to, "utf8")).toBe(readFileSync("/proc/version", "utf8"));
  });

  test("empties a longer file first", () => {
    using folder = temporaryFolder();
    const [from, to] = [join(folder.path, "from"), join(folder.path, "to")];
    writeFileSync(from, "new");
    writeFileSync(to, "much longer");
    copyFile(from, to);
    expect(readFileSync(to, "utf8")).toBe("new");
  });

  test("follows no link to its target, and names the call that failed", () => {
    using folder = temporaryFolder();
    const link = join(folder.path, "link");
    symlinkSync(join(folder.path, "elsewhere"), link);
    expect(() => copyFile("/proc/version", link)).toThrow("open: ELOOP");
    expect(() => copyFile("/nonexistent", link)).toThrow("open: ENOENT");
    expect(() => copyFile(folder.path, join(folder.path, "x"))).toThrow("read: EISDIR");
    expect(() => copyFile("/proc/version", "/dev/full")).toThrow("write: ENOSPC");
  });
});
