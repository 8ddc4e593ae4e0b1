/**
 * Runs unit tests: `bun scripts/test-packages.ts [PACKAGE …]`. Without a package it runs those that
 * the changes since main may break, committed or not, on Bun and on the engine.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { ensureNeeds } from "./needs/ensure-needs.ts";
import { findAffected } from "./test/find-affected.ts";

const root = join(import.meta.dirname, "..");
const names = process.argv.slice(2);

/** Packages with tests that start a vault. */
const withVault = /^packages\/(?:bootstrap|cli|testing)(?:\/|$)/;

ensureNeeds("test");
process.exit(names.length > 0 ? testPackages() : testChanges());

function testPackages(): number {
  const folders = names.map((name) => `packages/${name}`);
  const missing = folders.filter((folder) => !existsSync(join(root, folder)));
  if (missing.length > 0) {
    process.stderr.write(`test: there is no folder ${missing.join(", ")}\n`);
    process.stderr.write("hint: PACKAGE is the name of a folder of packages/, as wrapper\n");
    return 2;
  }
  process.stdout.write(`unit tests of ${folders.join(", ")}\n`);
  return testOnBun(folders);
}

function testChanges(): number {
  const tests = findAffected(root).filter((path) => !path.startsWith("e2e/"));
  process.stdout.write(`the changes may break ${tests.length} files of unit tests\n`);
  const onBun = tests.filter((path) => path.endsWith(".test.ts"));
  const status = onBun.length > 0 ? testOnBun(onBun) : 0;
  if (status !== 0 || tests.length === 0) return status;
  return run("scripts/engine/test-on-engine.ts", ...tests);
}

function testOnBun(paths: readonly string[]): number {
  if (paths.some((path) => withVault.test(path))) {
    const status = run("scripts/fetch-openbao.ts");
    if (status !== 0) return status;
  }
  // `./` makes it a path: other words are patterns, which copies of the tree would match, too.
  return run("test", ...paths.map((path) => `./${path}`), "--timeout", "60000");
}

function run(...words: readonly string[]): number {
  const stdio = ["ignore", "inherit", "inherit"] as const;
  return Bun.spawnSync([process.execPath, ...words], { cwd: root, stdio: [...stdio] }).exitCode;
}
