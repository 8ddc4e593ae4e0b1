import { afterAll, expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { temporaryFolder } from "@svc/testing";
import { SyscallError } from "../libc/syscall-error.ts";
import { lockFile } from "./lock-file.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test("a file is locked once, until its descriptor is closed", () => {
  const path = `${folder.path}/lock`;
  const [first, second] = [openSync(path, "w"), openSync(path, "w")];
  expect(lockFile(first)).toBe(true);
  expect(lockFile(second)).toBe(false);
  expect(lockFile(first)).toBe(true);
  closeSync(first);
  expect(lockFile(second)).toBe(true);
  closeSync(second);
});

test("a number that is not a descriptor cannot be locked", () => {
  expect(() => lockFile(-1)).toThrow(SyscallError);
});
