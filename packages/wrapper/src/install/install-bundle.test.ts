import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { needsRoot, temporaryFolder } from "@svc/testing";
import { InstallError, installBundle } from "./install-bundle.ts";

const contents: Readonly<Record<string, readonly [mode: number, text: string]>> = {
  "bin/svc-wrapper": [0o755, "program"],
  "lib/ld.so": [0o755, "loader"],
  "lib/libc.so.6": [0o644, "library"],
};
const size = 7 + 6 + 7;

function bundleIn(folder: string): string {
  const files = Object.entries(contents).map(([path, [mode, text]]) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    return { path, mode: mode.toString(8), bytes: text.length, sha256 };
  });
  const manifest = JSON.stringify({ version: "1.2.3", files });
  writeFileSync(join(folder, "manifest.json"), manifest);
  return manifest;
}

/** A bundle, and an empty target beside it. */
function stage() {
  const folder = temporaryFolder();
  const [source, target] = [join(folder.path, "bundle"), join(folder.path, "target")];
  mkdirSync(source);
  mkdirSync(target);
  const manifest = bundleIn(source);
  return {
    source,
    target,
    manifest,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function expectWhole(target: string, manifest: string): void {
  for (const [path, [mode, text]] of Object.entries(contents)) {
    expect(readFileSync(join(target, path), "utf8")).toBe(text);
    expect(statSync(join(target, path)).mode & 0o777).toBe(mode);
  }
  expect(readFileSync(join(target, "manifest.json"), "utf8")).toBe(manifest);
  expect(readdirSync(target).sort()).toEqual(["bin", "lib", "manifest.json"]);
}

describe("the bundle is copied", () => {
  const before: Readonly<Record<string, readonly [(target: string) => void, copied: number]>> = {
    "into an empty folder": [() => undefined, 4],
    "if a file is missing": [
      (target) => {
        bundleIn(target);
        for (const path of ["bin/svc-wrapper", "lib/ld.so"]) chmodSync(join(target, path), 0o755);
        chmodSync(join(target, "lib/libc.so.6"), 0o600);
      },
      1,
    ],
    "if a file of the same size differs": [
      (target) => {
        bundleIn(target);
        for (const path of ["bin/svc-wrapper", "lib/ld.so"]) chmodSync(join(target, path), 0o755);
        writeFileSync(join(target, "lib/ld.so"), "LOADER");
      },
      1,
    ],
    "if a link leads to another file": [
      (target) => {
        mkdirSync(join(target, "lib"));
        symlinkSync("/etc/hostname", join(target, "lib/ld.so"));
      },
      4,
    ],
    "if a killed copy left its files": [
      (target) => {
        mkdirSync(join(target, ".svc-install-abcdef/lib"), { recursive: true });
        writeFileSync(join(target, ".svc-install-abcdef/lib/ld.so"), "loa");
      },
      4,
    ],
  };
  for (const [name, [prepare, copied]] of Object.entries(before)) {
    test(name, () => {
      using at = stage();
      prepare(at.target);
      const bytes = size + at.manifest.length;
      const done = { version: "1.2.3", copied, kept: 4 - copied, bytes };
      expect(installBundle(at.source, at.target)).toEqual(done);
      expectWhole(at.target, at.manifest);
      expect(installBundle(at.source, at.target)).toMatchObject({ copied: 0, kept: 4 });
    });
  }
});

describe("an error names the folder, and leaves it as it was, if", () => {
  const cases: Readonly<
    Record<string, readonly [spoil: (at: ReturnType<typeof stage>) => string, text: string]>
  > = {
    "the target is missing": [
      ({ target }) => `${target}/no`,
      "look at TARGET/no: ENOENT (hint: mount a volume there)",
    ],
    "the target is a file": [
      ({ target }) => {
        writeFileSync(`${target}/file`, "");
        return `${target}/file`;
      },
      "look at TARGET/file: ENOTDIR (hint: name the folder of a volume)",
    ],
    "a folder has the name of a file": [
      ({ target }) => {
        mkdirSync(`${target}/lib/ld.so`, { recursive: true });
        return target;
      },
      "copy into TARGET: folders have the names of files: lib/ld.so",
    ],
    "the source is not a bundle": [
      ({ source, target }) => {
        writeFileSync(`${source}/manifest.json`, "{}");
        return target;
      },
      "read SOURCE/manifest.json: it is not the manifest of a bundle",
    ],
    "the source lacks a file": [
      ({ source, target }) => {
        writeFileSync(`${source}/lib/ld.so`, "load");
        return target;
      },
      "copy lib/ld.so: 4 of 6 bytes",
    ],
  };
  for (const [name, [spoil, text]] of Object.entries(cases)) {
    test(name, () => {
      using at = stage();
      const target = spoil(at);
      const wanted = text.replace("TARGET", at.target).replace("SOURCE", at.source);
      expect(() => installBundle(at.source, target)).toThrow(InstallError);
      expect(() => installBundle(at.source, target)).toThrow(wanted);
      expect(readdirSync(at.target).filter((left) => left.startsWith("."))).toEqual([]);
    });
  }
});

needsRoot(describe)("on a separate file system", () => {
  const cases: Readonly<Record<string, readonly [options: string, text: RegExp]>> = {
    "that is too small": ["size=16k", /: [\d.]+ MiB are free, [\d.]+ MiB are needed \(hint: /],
    "that has no inodes left": ["nr_inodes=3", /: \d files can still be made, 4 are needed/],
    "that is read-only": ["ro", /write to .*: EROFS \(hint: mount the volume without readOnly\)/],
  };
  for (const [name, [options, text]] of Object.entries(cases)) {
    test(`nothing is copied to one ${name}`, () => {
      using at = stage();
      Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", at.target]);
      try {
        expect(() => installBundle(at.source, at.target)).toThrow(text);
        expect(readdirSync(at.target)).toEqual([]);
      } finally {
        Bun.spawnSync(["umount", at.target]);
      }
    });
  }
});
