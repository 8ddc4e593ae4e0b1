import { afterAll, expect, test } from "bun:test";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { temporaryFolder } from "@svc/testing";
import { SyscallError } from "../libc/syscall-error.ts";
import { hasWriters } from "./file-writers.ts";

/** fcntl.h. */
const O_RDWR = 2;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test("a file has writers from an open for writing until its close", () => {
  const path = `${folder.path}/tool`;
  writeFileSync(path, "text");
  const fd = openSync(path, "r");
  expect(hasWriters(fd)).toBe(false);
  const writer = openSync(path, O_RDWR);
  expect(hasWriters(fd)).toBe(true);
  closeSync(writer);
  expect(hasWriters(fd)).toBe(false);
  // The lease was given back: else this would wait.
  closeSync(openSync(path, O_RDWR));
  closeSync(fd);
});

test("a number without a file has no answer", () => {
  expect(() => hasWriters(-1)).toThrow(SyscallError);
});
