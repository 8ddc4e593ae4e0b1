import { expect, test } from "bun:test";
import { temporaryFolder } from "@svc/testing";
import { fileSystemRoom } from "./file-system-room.ts";
import { pathStatus } from "./path-status.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

test("a file system has room, and one of the kernel's own has none", () => {
  using folder = temporaryFolder();
  const { freeBytes, freeFiles } = fileSystemRoom(folder.path);
  expect(freeBytes).toBeGreaterThan(4096);
  expect(freeFiles).toBeGreaterThan(1);
  const none = { freeBytes: 0, freeFiles: Number.POSITIVE_INFINITY };
  expect(fileSystemRoom("/proc")).toEqual(none);
  expect(() => fileSystemRoom("/nonexistent")).toThrow("statvfs: ENOENT");
});

test("each temporary folder is a new one that is its owner's alone", () => {
  using folder = temporaryFolder();
  const [one, other] = [1, 2].map(() => makeTemporaryFolder(`${folder.path}/grün-`));
  expect(one).toMatch(/\/grün-[A-Za-z0-9]{6}$/);
  expect(other).not.toBe(one);
  expect(pathStatus(String(one))).toMatchObject({ kind: "folder", mode: 0o700 });
  expect(() => makeTemporaryFolder("/nonexistent/x")).toThrow("mkdtemp: ENOENT");
});
