import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@svc/testing";
import type { BundleFile } from "./bundle-file.ts";
import { writeBundle } from "./write-bundle.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const files: readonly BundleFile[] = [
  { path: "bin/a", mode: 0o755, bytes: Uint8Array.of(1, 2) },
  { path: "b", mode: 0o644, bytes: Uint8Array.of(3) },
];

describe("writeBundle", () => {
  test("gives every file and folder its mode and the one time, with any umask", () => {
    const target = join(folder.path, "bundle");
    const before = process.umask(0o077);
    try {
      writeBundle(target, "opt/svc", files);
    } finally {
      process.umask(before);
    }
    const modes = { "opt/svc/bin/a": 0o755, "opt/svc/b": 0o644, opt: 0o755, "opt/svc/bin": 0o755 };
    for (const [path, mode] of Object.entries(modes)) {
      const info = statSync(join(target, path));
      expect({ path, mode: info.mode & 0o7777 }).toEqual({ path, mode });
      expect(info.mtime.toISOString()).toBe("1980-01-01T00:00:00.000Z");
    }
    expect([...readFileSync(join(target, "opt/svc/bin/a"))]).toEqual([1, 2]);
  });

  test("takes the place of an older bundle, and leaves nothing of it or beside it", () => {
    const target = join(folder.path, "bundle");
    mkdirSync(join(target, "opt"), { recursive: true });
    writeFileSync(join(target, "opt/stale"), "");
    mkdirSync(`${target}.new`);
    writeFileSync(join(`${target}.new`, "broken"), "");
    writeBundle(target, "opt/svc", files);
    expect(existsSync(join(target, "opt/stale"))).toBe(false);
    expect(readdirSync(folder.path)).toEqual(["bundle"]);
  });
});
