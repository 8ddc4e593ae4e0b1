import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { namesInFolder } from "./directory-names.ts";
import {
  isInMemory,
  lookAtDescriptor,
  lookIn,
  openFileIn,
  openFolder,
  openFolderIn,
} from "./open-in-folder.ts";

const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
afterAll(() => folder[Symbol.dispose]());
const bytes = (text: string) => new TextEncoder().encode(text);

/** Gives an open folder to a function, and closes it. */
function inFolder<T>(path: string, use: (fd: number) => T): T {
  const fd = openFolder(path);
  try {
    return use(fd);
  } finally {
    closeDescriptor(fd);
  }
}

mkdirSync(at("one"));
writeFileSync(at("one/file"), "1");
chmodSync(at("one/file"), 0o640);
symlinkSync("file", at("one/link"));
symlinkSync("one", at("to-one"));

describe("a name in an open folder", () => {
  test("is looked at, also through a link", () => {
    inFolder(at("one"), (fd) => {
      const file = lookIn(fd, bytes("file"));
      expect(file).toMatchObject({ kind: "file", mode: 0o640, size: 1 });
      expect(lookIn(fd, bytes("link"))).toEqual(file);
      expect(lookIn(fd, bytes(".")).kind).toBe("folder");
    });
  });

  test("has another stamp and another identity once it is replaced, and keeps both before", () => {
    inFolder(at("one"), (fd) => {
      const before = lookIn(fd, bytes("file"));
      expect(lookIn(fd, bytes("file"))).toEqual(before);
      writeFileSync(at("one/new"), "2");
      renameSync(at("one/new"), at("one/file"));
      const after = lookIn(fd, bytes("file"));
      expect(after.stamp).not.toBe(before.stamp);
      expect(after.identity).not.toBe(before.identity);
    });
  });

  test("is opened for reading if it is a regular file", () => {
    inFolder(at("to-one"), (fd) => {
      const file = openFileIn(fd, bytes("link"));
      expect(lookAtDescriptor(file)).toEqual(lookIn(fd, bytes("file")));
      closeDescriptor(file);
      expect(() => openFileIn(fd, bytes("."))).toThrow("EINVAL");
      expect(() => openFileIn(fd, bytes("gone"))).toThrow("ENOENT");
    });
    inFolder("/dev", (fd) => expect(() => openFileIn(fd, bytes("null"))).toThrow("EINVAL"));
  });

  test("is opened if it is a folder, also through a link", () => {
    inFolder(folder.path, (fd) => {
      const one = openFolderIn(fd, "to-one");
      expect(lookAtDescriptor(one)).toEqual(lookIn(fd, bytes("one")));
      closeDescriptor(one);
      expect(() => openFolderIn(fd, "gone")).toThrow("ENOENT");
    });
    inFolder(at("one"), (fd) => expect(() => openFolderIn(fd, "file")).toThrow("ENOTDIR"));
  });
});

test("only folders are opened as such", () => {
  expect(() => openFolder(at("one/file"))).toThrow("ENOTDIR");
  expect(() => openFolder(at("gone"))).toThrow("ENOENT");
});

test("the names of a large folder are not read to the end", () => {
  inFolder("/usr/bin", (fd) => {
    const { length } = namesInFolder(fd, 10);
    expect(length).toBeGreaterThan(10);
    expect(length).toBeLessThan(inFolder("/usr/bin", (again) => namesInFolder(again)).length);
  });
});

test("a file system in memory is known", () => {
  expect(inFolder("/dev/shm", isInMemory)).toBe(true);
  expect(inFolder("/proc", isInMemory)).toBe(false);
});
