import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import type { Logger } from "../log.ts";
import { followRefreshFile } from "./follow-refresh-file.ts";

const LOOK_MS = 3000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Follows a file, and counts the calls. */
function follow(path: string) {
  const warnings: string[] = [];
  let calls = 0;
  const silent = () => undefined;
  const log: Logger = {
    ...{ debug: silent, info: silent, error: silent },
    warn: (message) => void warnings.push(message),
  };
  followRefreshFile(path, { log, onChange: () => void calls++ });
  /** Does something, and gives the calls after the next two looks. */
  const after = (change: () => void): number => {
    calls = 0;
    change();
    jest.advanceTimersByTime(2 * LOOK_MS);
    return calls;
  };
  return { after, warnings };
}

test("a file is made, written, replaced, removed and made again", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "refresh");
  const { after, warnings } = follow(path);
  expect(after(() => undefined)).toBe(0);
  expect(after(() => writeFileSync(path, "1"))).toBe(1);
  expect(after(() => writeFileSync(path, "two"))).toBe(1);
  expect(after(() => utimesSync(path, 1, 1))).toBe(1);
  writeFileSync(`${path}.new`, "two");
  expect(after(() => renameSync(`${path}.new`, path))).toBe(1);
  expect(after(() => rmSync(path))).toBe(0);
  expect(after(() => writeFileSync(path, "1"))).toBe(1);
  expect(after(() => undefined)).toBe(0);
  expect(warnings).toEqual([]);
});

test("a file that could not be looked at has not changed, and is said once", () => {
  using folder = temporaryFolder();
  const parent = join(folder.path, "parent");
  const path = join(parent, "refresh");
  writeFileSync(parent, "no folder");
  const { after, warnings } = follow(path);
  expect(after(() => undefined)).toBe(0);
  expect(warnings).toEqual([`SVC_REFRESH_FILE ${JSON.stringify(path)}: ENOTDIR`]);
  const mend = () => {
    rmSync(parent);
    mkdirSync(parent);
    writeFileSync(path, "1");
  };
  expect(after(mend)).toBe(0);
  expect(after(() => writeFileSync(path, "12"))).toBe(1);
  expect(warnings).toHaveLength(1);
});
