import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { changeMode } from "./change-mode.ts";
import { pathStatus } from "./path-status.ts";
import { renamePath } from "./rename-path.ts";

test("a file takes another name, in place of the file that had it", () => {
  using folder = temporaryFolder();
  const [from, to] = [join(folder.path, "from"), join(folder.path, "to")];
  writeFileSync(from, "new");
  writeFileSync(to, "old");
  renamePath(from, to);
  expect(readdirSync(folder.path)).toEqual(["to"]);
  expect(readFileSync(to, "utf8")).toBe("new");
  expect(() => renamePath(from, to)).toThrow("rename: ENOENT");
});

test("a file gets every permission bit that it is given", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "file");
  writeFileSync(path, "");
  for (const mode of [0o777, 0o600, 0o2755]) {
    changeMode(path, mode);
    expect(pathStatus(path).mode).toBe(mode);
  }
  expect(() => changeMode(join(folder.path, "none"), 0o600)).toThrow("chmod: ENOENT");
});
