import { describe, expect, test } from "bun:test";
import { chmodSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { effectiveUserId } from "../process/effective-user.ts";
import { entryStatus, pathStatus } from "./path-status.ts";

describe("the status of a path", () => {
  test("tells kind, mode, size and owner", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "file");
    writeFileSync(path, "12345");
    chmodSync(path, 0o4751);
    const uid = effectiveUserId();
    expect(pathStatus(path)).toMatchObject({ kind: "file", mode: 0o4751, size: 5, uid });
    mkdirSync(join(folder.path, "inside"));
    expect(pathStatus(join(folder.path, "inside")).kind).toBe("folder");
    expect(pathStatus("/dev/null").kind).toBe("other");
    expect(pathStatus("/").uid).toBe(0);
  });

  test("tells inode and file system, as the kernel numbers them", () => {
    using folder = temporaryFolder();
    const [path, same] = [join(folder.path, "file"), join(folder.path, "same")];
    writeFileSync(path, "");
    linkSync(path, same);
    expect(pathStatus(path).inode).toBe(pathStatus(same).inode);
    expect(pathStatus(path).inode).not.toBe(pathStatus(folder.path).inode);
    // Mount, parent, device, root, mount point; proc_pid_mountinfo(5).
    const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n").reverse();
    const proc = mounts.find((line) => line.split(" ")[4] === "/proc") ?? "";
    const [major, minor] = (proc.split(" ")[2] ?? "").split(":").map(Number);
    expect(pathStatus("/proc").device).toBe((major ?? 0) * 2 ** 20 + (minor ?? 0));
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
