import { describe, expect, test } from "bun:test";
import { failureText, type Need, type Room, roomProblem } from "./install-problem.ts";

const MEBIBYTE = 1024 * 1024;
const plenty: Room = { freeBytes: 1000 * MEBIBYTE, freeFiles: 1000 };

describe("the room of a target", () => {
  const cases: Readonly<Record<string, readonly [Need, Room, string | undefined]>> = {
    "is enough": [{ bytes: 100 * MEBIBYTE, files: 10 }, plenty, undefined],
    "need not be there if nothing is copied": [
      { bytes: 0, files: 0 },
      { freeBytes: 0, freeFiles: 0 },
      undefined,
    ],
    "is too small": [
      { bytes: 100 * MEBIBYTE, files: 128 },
      { ...plenty, freeBytes: 100 * MEBIBYTE },
      "100.0 MiB are free, 101.0 MiB are needed (hint: give the volume more room)",
    ],
    "has too few inodes": [
      { bytes: 1, files: 3 },
      { ...plenty, freeFiles: 2 },
      "2 files can still be made, 3 are needed (hint: the file system has no free inodes)",
    ],
  };
  test.each(Object.entries(cases))("%s", (_name, [need, room, problem]) => {
    expect(roomProblem(need, room)).toBe(problem);
  });
});

test("a failure has the hint of its code, if there is one", () => {
  expect(failureText("write", "EROFS")).toBe(
    "write: EROFS (hint: mount the volume without readOnly)",
  );
  expect(failureText("write", "EIO")).toBe("write: EIO");
});
