import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { openDescriptors } from "../../testdata/open-descriptors.ts";
import { removeTree } from "./remove-tree.ts";

describe("removeTree", () => {
  test("removes a folder with everything in it, and no more", () => {
    using folder = temporaryFolder();
    const [tree, kept] = [join(folder.path, "tree"), join(folder.path, "kept")];
    mkdirSync(join(tree, "a/b/c"), { recursive: true });
    mkdirSync(kept);
    writeFileSync(join(kept, "file"), "");
    // A number that the kernel lists by several calls.
    for (let index = 0; index < 700; index++) writeFileSync(join(tree, `a/file-${index}`), "");
    symlinkSync(kept, join(tree, "a/link"));
    const before = openDescriptors();
    removeTree(tree);
    expect(openDescriptors()).toEqual(before);
    expect(readdirSync(folder.path)).toEqual(["kept"]);
    expect(readdirSync(kept)).toEqual(["file"]);
  });

  test("removes a file, and a link itself", () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "kept"));
    symlinkSync("kept", join(folder.path, "link"));
    writeFileSync(join(folder.path, "file"), "");
    for (const name of ["file", "link", "none"]) removeTree(join(folder.path, name));
    expect(readdirSync(folder.path)).toEqual(["kept"]);
  });

  test("says why a file cannot be removed", () => {
    expect(() => removeTree("/proc/self/status")).toThrow(/^(?:unlink|open): /);
    expect(() => removeTree("/dev/null/x")).toThrow("unlink: ENOTDIR");
  });
});
