import { afterAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { temporaryFolder } from "@svc/testing";
import { readPolicyFile } from "./read-policy-file.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
/** When the files of this test have settled. */
const later = () => ({ nowMs: Date.now() + 5000 });

function place(): string {
  const own = join(folder.path, crypto.randomUUID());
  mkdirSync(own);
  return own;
}

function written(text = "policies: []"): string {
  const path = join(place(), "policies.yaml");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

describe("readPolicyFile", () => {
  test("gives the text of a file that only root may write", () => {
    expect(readPolicyFile(written(), later())).toEqual({ kind: "text", text: "policies: []" });
  });

  test("follows links, as a ConfigMap's", () => {
    const link = join(place(), "link");
    symlinkSync(written(), link);
    expect(readPolicyFile(link, later()).kind).toBe("text");
  });

  test("has nothing to go by while the file may be half written", () => {
    const path = written();
    expect(readPolicyFile(path).kind).toBe("unsettled");
    // A clock that was set back does not keep policies out for ever.
    expect(readPolicyFile(path, { nowMs: Date.now() - 3_600_000 }).kind).toBe("text");
  });

  test("finds no file if there is none, and if a link leads nowhere", () => {
    const own = place();
    symlinkSync("nowhere", join(own, "link"));
    for (const name of ["none", "link"]) {
      expect(readPolicyFile(join(own, name), later())).toEqual({ kind: "absent" });
    }
  });

  const rows: readonly (readonly [string, () => string, string])[] = [
    ["a file that its group may write", () => withMode(written(), 0o620), "others than its owner"],
    ["a file that all may write", () => withMode(written(), 0o602), "others than its owner"],
    ["a file in a folder that all may write", inOpenFolder, "others than root may change"],
    ["a folder", place, "not a regular file"],
    ["a pipe, without waiting for its writer", pipe, "not a regular file"],
    ["a file that is too large", () => written("#".repeat(1024 ** 2 + 1)), "1048577 bytes"],
    ["a path through a file", () => join(written(), "x"), "ENOTDIR"],
  ];
  for (const [name, path, found] of rows) {
    test(`refuses ${name}`, () => {
      const given = path();
      const read = readPolicyFile(given, later());
      expect(read.kind === "unusable" && read.reason).toContain(`read POLICY_FILE (${given}): `);
      expect(read.kind === "unusable" && read.reason).toContain(found);
    });
  }

  test.skipIf(process.geteuid?.() !== 0)("refuses files and folders of another user", () => {
    const path = written();
    chownSync(path, 1000, 1000);
    const read = readPolicyFile(path, later());
    expect(read.kind === "unusable" && read.reason).toContain("it is user 1000's, not root's");
    const own = place();
    writeFileSync(join(own, "policies.yaml"), "policies: []", { mode: 0o600 });
    chownSync(own, 1000, 1000);
    const other = readPolicyFile(join(own, "policies.yaml"), later());
    expect(other.kind === "unusable" && other.reason).toContain(`may change ${own}`);
  });

  test("takes a file in a folder in which each user may replace only its own files", () => {
    const own = place();
    chmodSync(own, 0o1777);
    writeFileSync(join(own, "policies.yaml"), "policies: []", { mode: 0o600 });
    expect(readPolicyFile(join(own, "policies.yaml"), later()).kind).toBe("text");
  });
});

function withMode(path: string, mode: number): string {
  chmodSync(path, mode);
  return path;
}

function inOpenFolder(): string {
  const open = withMode(place(), 0o777);
  const below = join(open, "below");
  mkdirSync(below);
  writeFileSync(join(below, "policies.yaml"), "policies: []", { mode: 0o600 });
  return join(below, "policies.yaml");
}

function pipe(): string {
  const path = join(place(), "pipe");
  execFileSync("mkfifo", ["-m", "600", path]);
  return path;
}
