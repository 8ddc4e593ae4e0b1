import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { openForReading } from "./files.ts";
import { openInRoot } from "./open-in-root.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-root-"));
afterAll(() => rmSync(folder, { recursive: true }));
const root = join(folder, "root");
mkdirSync(join(root, "usr/bin"), { recursive: true });
writeFileSync(join(root, "usr/bin/runc"), "");
writeFileSync(join(folder, "outside"), "");
symlinkSync("/usr/bin/runc", join(root, "usr/bin/absolute"));
symlinkSync("runc", join(root, "usr/bin/relative"));
symlinkSync("../../../../../outside", join(root, "usr/bin/climbs"));
symlinkSync("/proc/self/root/usr/bin/runc", join(root, "usr/bin/magic"));
symlinkSync("usr/bin", join(root, "bin"));
symlinkSync("loop", join(root, "loop"));

const rootFd = openForReading(root);
afterAll(() => closeDescriptor(rootFd));

describe("openInRoot", () => {
  const found = [
    "/usr/bin/runc",
    "/usr/bin/absolute",
    "/usr/bin/relative",
    "/bin/runc",
    "bin/runc",
  ];
  for (const path of found) {
    test(`finds ${path} in the root`, () => {
      const fd = openInRoot(rootFd, path);
      try {
        expect(readlinkSync(`/proc/self/fd/${fd}`)).toBe(join(root, "usr/bin/runc"));
      } finally {
        closeDescriptor(fd);
      }
    });
  }

  const refused = {
    "a missing file": ["/usr/bin/crun", "ENOENT"],
    "a link out of the root": ["/usr/bin/climbs", "ENOENT"],
    "a link by /proc": ["/usr/bin/magic", "ENOENT"],
    "a way back out of the root": ["/../outside", "ENOENT"],
    "a link to itself": ["/loop", "ELOOP"],
  };
  for (const [name, [path = "", code = ""]] of Object.entries(refused)) {
    test(`refuses ${name}`, () => expect(() => openInRoot(rootFd, path)).toThrow(code));
  }
});
