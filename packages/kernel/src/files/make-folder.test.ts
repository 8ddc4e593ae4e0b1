import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { makeFolder, makeFolders } from "./make-folder.ts";
import { pathStatus } from "./path-status.ts";

describe("makeFolder", () => {
  test("makes one folder with a mode", () => {
    using folder = temporaryFolder();
    makeFolder(join(folder.path, "a"), 0o700);
    expect(pathStatus(join(folder.path, "a"))).toMatchObject({ kind: "folder", mode: 0o700 });
    expect(() => makeFolder(join(folder.path, "a"))).toThrow("mkdir: EEXIST");
    expect(() => makeFolder(join(folder.path, "b/c"))).toThrow("mkdir: ENOENT");
  });
});

describe("makeFolders", () => {
  test("makes those that are missing, and takes those that are there", () => {
    using folder = temporaryFolder();
    for (const path of ["a/b/c", "a/b/d", "a/b/d"]) makeFolders(join(folder.path, path));
    expect(readdirSync(join(folder.path, "a/b")).sort()).toEqual(["c", "d"]);
    makeFolders("/");
    makeFolders(".");
  });

  test("refuses a path that a file is in the way of", () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "file"), "");
    expect(() => makeFolders(join(folder.path, "file"))).toThrow("mkdir: EEXIST");
    expect(() => makeFolders(join(folder.path, "file/a"))).toThrow("mkdir: ENOTDIR");
  });
});
