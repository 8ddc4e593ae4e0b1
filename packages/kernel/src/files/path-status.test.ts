import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { effectiveUserId } from "../process/effective-user.ts";
import { entryStatus, pathStatus } from "./path-status.ts";

describe("the status of a path", () => {
  test("tells kind, mode, size, owner, inode and file system", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "file");
    writeFileSync(path, "12345");
    chmodSync(path, 0o4751);
    const uid = effectiveUserId();
    const { ino: inode, dev } = statSync(path, { bigint: true });
    // As the C library puts the two numbers together; makedev(3).
    const [major, minor] = [(dev >> 8n) & 0xfffn, (dev & 0xffn) | ((dev >> 12n) & 0xfff00n)];
    const device = Number((major << 20n) | minor);
    const expected = { kind: "file", mode: 0o4751, size: 5, uid, inode, device } as const;
    expect(pathStatus(path)).toEqual(expected);
    mkdirSync(join(folder.path, "inside"));
    expect(pathStatus(join(folder.path, "inside")).kind).toBe("folder");
    expect(pathStatus("/dev/null").kind).toBe("other");
    expect(pathStatus("/").uid).toBe(0);
  });

  test("is that of a link's target, and as an entry the link's own", () => {
    using folder = temporaryFolder();
    const [link, torn] = [join(folder.path, "link"), join(folder.path, "torn")];
    symlinkSync("/", link);
    symlinkSync("/nonexistent", torn);
    expect(pathStatus(link).kind).toBe("folder");
    expect(entryStatus(link)?.kind).toBe("link");
    expect(entryStatus(torn)?.kind).toBe("link");
    expect(() => pathStatus(torn)).toThrow("statx: ENOENT");
  });

  test("is undefined for a missing entry, and an error below a file", () => {
    expect(entryStatus("/nonexistent")).toBeUndefined();
    expect(() => entryStatus("/dev/null/x")).toThrow("statx: ENOTDIR");
  });
});
