import { describe, expect, test } from "bun:test";
import { cString } from "../libc/c-strings.ts";
import { AT_FDCWD, AT_SYMLINK_NOFOLLOW, fileStatus, olderFileStatus } from "./file-status.ts";

describe("statx and newfstatat tell the same of", () => {
  for (const path of ["/etc/passwd", "/usr/bin", "/dev/null", "/bin/sh", "/tmp"]) {
    for (const flags of [0, AT_SYMLINK_NOFOLLOW]) {
      test(`${path}, with the flags ${flags}`, () => {
        const name = cString(path);
        const older = olderFileStatus(AT_FDCWD, name, flags);
        expect(older).toEqual(fileStatus(AT_FDCWD, name, flags));
      });
    }
  }
});

test("a file that is missing is an error of both", () => {
  const name = cString("/nonexistent");
  expect(() => fileStatus(AT_FDCWD, name, 0)).toThrow("statx: ENOENT");
  expect(() => olderFileStatus(AT_FDCWD, name, 0)).toThrow("newfstatat: ENOENT");
});
