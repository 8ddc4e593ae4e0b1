import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { architectures } from "../../scripts/build/bundle/architecture.ts";
import { makeBundle } from "../../scripts/build/bundle.ts";
import { bundleFolder } from "./run-in-root.ts";

const MAX_BYTES = 8_000_000;
const root = join(import.meta.dir, "../..");

interface ManifestFile {
  readonly path: string;
  readonly mode: string;
  readonly bytes: number;
  readonly sha256: string;
}

const manifest: { readonly totalBytes: number; readonly files: readonly ManifestFile[] } =
  JSON.parse(readFileSync(join(bundleFolder, "manifest.json"), "utf8"));

describe("the bundle", () => {
  test("holds exactly the files of its manifest, to the byte", () => {
    const found = readdirSync(bundleFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(bundleFolder.length + 1));
    const named = manifest.files.map(({ path }) => path);
    expect(found.sort()).toEqual([...named, "manifest.json"].sort());
    for (const { path, mode, bytes, sha256 } of manifest.files) {
      const content = readFileSync(join(bundleFolder, path));
      expect(content.length).toBe(bytes);
      expect(createHash("sha256").update(content).digest("hex")).toBe(sha256);
      expect((statSync(join(bundleFolder, path)).mode & 0o7777).toString(8)).toBe(mode);
    }
  });

  test("is not larger than 8 MB", () => {
    expect(manifest.files.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(manifest.totalBytes);
    expect(manifest.totalBytes).toBeLessThan(MAX_BYTES);
  });

  test("is the same bytes when it is made again, and is left alone when it is there", async () => {
    using folder = temporaryFolder();
    const architecture = architectures.find(({ name }) => name === process.arch);
    if (architecture === undefined) throw new TypeError(`no bundle for ${process.arch}`);
    const target = join(folder.path, "again");
    const places = { root, target };
    expect(await makeBundle(architecture, places, () => undefined)).toBe("written");
    const again = readFileSync(join(target, "opt/svc/manifest.json"), "utf8");
    expect(again).toBe(readFileSync(join(bundleFolder, "manifest.json"), "utf8"));
    expect(await makeBundle(architecture, places, () => undefined)).toBe("same");
  });
});
