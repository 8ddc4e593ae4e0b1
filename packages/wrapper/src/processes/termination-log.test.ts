import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@svc/testing";
import type { Failure } from "../errors.ts";
import { writeTerminationLog } from "./termination-log.ts";

const failures: readonly Failure[] = [
  { code: "VAULT_FAILED", message: "read secret/data/app: denied", hint: "ask for access" },
  { code: "SETTINGS_INVALID", message: "SVC_ROTATION: must be restart" },
];

let folder: TemporaryFolder;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "termination-log");
});
afterEach(() => folder[Symbol.dispose]());

describe("writeTerminationLog", () => {
  test("writes code, message and hint of each failure", () => {
    writeFileSync(path, "");
    writeTerminationLog(path, failures);
    expect(readFileSync(path, "utf8")).toBe(
      "VAULT_FAILED: read secret/data/app: denied\nhint: ask for access\nSETTINGS_INVALID: SVC_ROTATION: must be restart",
    );
  });

  test("replaces the text of an earlier start", () => {
    writeFileSync(path, "x".repeat(10_000));
    writeTerminationLog(path, failures.slice(1));
    expect(readFileSync(path, "utf8")).toBe("SETTINGS_INVALID: SVC_ROTATION: must be restart");
  });

  test("writes no more than the kubelet reads", () => {
    writeFileSync(path, "");
    writeTerminationLog(path, [{ code: "INTERNAL", message: "x".repeat(10_000) }]);
    expect(readFileSync(path, "utf8")).toHaveLength(4096);
  });

  test("makes no file if the kubelet made none", () => {
    writeTerminationLog(path, failures);
    expect(existsSync(path)).toBe(false);
  });

  test("does not follow a link", () => {
    const target = join(folder.path, "target");
    writeFileSync(target, "untouched");
    symlinkSync(target, path);
    writeTerminationLog(path, failures);
    expect(readFileSync(target, "utf8")).toBe("untouched");
  });

  test("does not wait for the reader of a pipe", () => {
    expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
    expect(() => writeTerminationLog(path, failures)).not.toThrow();
  });

  test("passes over a folder", () => {
    mkdirSync(path);
    expect(() => writeTerminationLog(path, failures)).not.toThrow();
  });

  test("leaves no descriptor", () => {
    writeFileSync(path, "");
    writeTerminationLog(path, failures);
    const before = readdirSync("/proc/self/fd").length;
    for (const each of [path, "/dev/null", folder.path]) writeTerminationLog(each, failures);
    // Descriptors of tests before this one may be closed meanwhile.
    expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
  });
});
