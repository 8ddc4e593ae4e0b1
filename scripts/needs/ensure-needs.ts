import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPackages } from "../../packages/testing/src/tools.ts";
import { goProblem } from "../go/go-release.ts";
import { missingPackages, needsGo, type Occasion } from "./needs.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Makes sure that the commands of an occasion are there, before it begins. Root gets the missing
 * Debian packages installed. An ordinary user gets one list of them with the command that installs
 * it, and the process ends with 1. So it does if Go is too old: that is the user's own choice.
 */
export function ensureNeeds(occasion: Occasion): void {
  const missing = missingPackages(occasion, isThere);
  const problems = [...goProblems(occasion), ...packageProblems(missing)];
  if (problems.length > 0) refuse(problems);
  if (missing.length === 0) return;
  process.stderr.write(`installing Debian packages: ${missing.join(" ")}\n`);
  const started = performance.now();
  try {
    installPackages(missing);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    refuse([error.message]);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(`installed ${missing.length} Debian packages: ${seconds} s\n`);
}

function goProblems(occasion: Occasion): readonly string[] {
  const problem = needsGo(occasion) ? goProblem(root) : undefined;
  return problem === undefined ? [] : [problem];
}

function packageProblems(missing: readonly string[]): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  if (missing.length === 0 || (isRoot && Bun.which("apt-get") !== null)) return [];
  return [
    `these Debian packages are missing: ${missing.join(", ")}`,
    `hint: ${isRoot ? "" : "sudo "}apt-get install ${missing.join(" ")}`,
  ];
}

/** A command, a file by its path, or a command with words that succeeds. */
function isThere(name: string): boolean {
  if (name.startsWith("/")) return existsSync(name);
  const [program = "", ...words] = name.split(" ");
  if (Bun.which(program) === null) return false;
  if (words.length === 0) return true;
  return Bun.spawnSync([program, ...words], { stdio: ["ignore", "ignore", "ignore"] }).success;
}

function refuse(lines: readonly string[]): never {
  for (const line of lines) process.stderr.write(`needs: ${line}\n`);
  process.exit(1);
}
