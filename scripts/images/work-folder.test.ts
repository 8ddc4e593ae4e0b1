import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { workFolder } from "./work-folder.ts";

test("a work folder goes when its user is done, and the next one removes those of the dead", () => {
  using folder = temporaryFolder();
  const dead = join(folder.path, ".work-4194305-abcdef");
  const alive = join(folder.path, `.work-${process.ppid}-abcdef`);
  for (const path of [dead, alive]) mkdirSync(path);
  writeFileSync(join(dead, "layer"), "half");
  let path: string;
  {
    using work = workFolder(folder.path);
    path = work.path;
    expect(existsSync(path)).toBe(true);
  }
  expect([path, dead, alive].map((at) => existsSync(at))).toEqual([false, false, true]);
});
