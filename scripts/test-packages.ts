/**
 * Runs unit tests: `bun scripts/test-packages.ts [PACKAGE …]`. Without a package it runs those of
 * the folders that have changed since the branch left main, committed or not.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { changedFolders } from "./test/changed-folders.ts";

const root = join(import.meta.dirname, "..");

process.exit(run(process.argv.slice(2)));

function run(names: readonly string[]): number {
  const folders = names.length > 0 ? names.map((name) => `packages/${name}`) : changed();
  const missing = folders.filter((folder) => !existsSync(join(root, folder)));
  if (missing.length > 0) {
    process.stderr.write(`test: there is no folder ${missing.join(", ")}\n`);
    process.stderr.write("hint: PACKAGE is the name of a folder of packages/, as wrapper\n");
    return 2;
  }
  if (folders.length === 0) {
    process.stdout.write("nothing has changed that has unit tests\n");
    return 0;
  }
  process.stdout.write(`unit tests of ${folders.join(", ")}\n`);
  // `./` makes it a path: other words are patterns, which copies of the tree would match, too.
  const paths = folders.map((folder) => `./${folder}`);
  const command = [process.execPath, "test", ...paths, "--timeout", "60000"];
  return Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] }).exitCode;
}

function changed(): readonly string[] {
  const isThere = Bun.spawnSync(["git", "rev-parse", "--verify", "main"], { cwd: root });
  const base = isThere.exitCode === 0 ? git("merge-base", "HEAD", "main").trim() : "HEAD";
  const tracked = git("diff", "--name-only", base);
  const untracked = git("ls-files", "--others", "--exclude-standard");
  return changedFolders(`${tracked}${untracked}`.split("\n"));
}

function git(...words: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...words], { cwd: root });
  if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr.toString().trim()}`);
  return stdout.toString();
}
