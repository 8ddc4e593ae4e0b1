/**
 * Installs the Debian packages of commands that a minimal machine may lack: `bun
 * scripts/ensure-commands.ts [demo|build|check|test|cluster]`, by default for `test`. Does nothing
 * if all are there. An ordinary user gets the list, and the command that installs it. Go is the
 * user's own choice: it is only looked at, so that one that is too old is named before the first
 * test.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPackages } from "../packages/testing/src/tools.ts";
import { goProblem } from "./go/go-release.ts";
import { missingPackages, needsGo, occasions } from "./needs/needs.ts";

const wanted = process.argv[2] ?? "test";
const occasion = occasions.find((name) => name === wanted);
if (occasion === undefined) {
  refuse([`usage: bun scripts/ensure-commands.ts [${occasions.join("|")}]: got "${wanted}"`], 2);
}

const missing = missingPackages(occasion, isThere);
const isRoot = process.getuid?.() === 0;
const canInstall = isRoot && Bun.which("apt-get") !== null;
const goIsMissing = needsGo(occasion) ? goProblem(join(import.meta.dirname, "..")) : undefined;
const problems = [
  ...(goIsMissing === undefined ? [] : [goIsMissing]),
  ...(missing.length === 0 || canInstall
    ? []
    : [
        `these Debian packages are missing: ${missing.join(", ")}`,
        `hint: ${isRoot ? "" : "sudo "}apt-get install ${missing.join(" ")}`,
      ]),
];
if (problems.length > 0) refuse(problems, 1);
if (missing.length > 0) {
  process.stderr.write(`installing Debian packages: ${missing.join(" ")}\n`);
  const started = performance.now();
  try {
    installPackages(missing);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    refuse([error.message], 1);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(`installed ${missing.length} Debian packages: ${seconds} s\n`);
}

/** A command, a file by its path, or a command with words that succeeds. */
function isThere(name: string): boolean {
  if (name.startsWith("/")) return existsSync(name);
  const [program = "", ...words] = name.split(" ");
  if (Bun.which(program) === null) return false;
  if (words.length === 0) return true;
  return Bun.spawnSync([program, ...words], { stdio: ["ignore", "ignore", "ignore"] }).success;
}

function refuse(lines: readonly string[], status: number): never {
  for (const line of lines) process.stderr.write(`ensure-commands: ${line}\n`);
  process.exit(status);
}
