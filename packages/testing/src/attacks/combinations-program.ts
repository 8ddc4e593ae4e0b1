import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../cache-folder.ts";
import { TestingError } from "../errors.ts";

const folder = join(import.meta.dirname, "../../attacks");
const flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static"];

/**
 * The path of `combination`, compiled by gcc when its sources have changed. It is static.
 *
 * @param env with HOME or XDG_CACHE_HOME.
 * @throws TestingError `BINARY_MISSING` if it cannot be compiled.
 */
export function combinationProgram(env: Readonly<Record<string, string | undefined>>): string {
  const names = readdirSync(folder).filter((name) => name.startsWith("combination"));
  const hash = createHash("sha256").update(flags.join(" "));
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  const place = `combination-${hash.digest("hex").slice(0, 16)}`;
  const target = join(cacheFolder(env), place, "combination");
  if (!existsSync(target)) compile(names, target);
  return target;
}

// Beside the target and renamed: another test may compile it, or run it, at the same time.
function compile(names: readonly string[], target: string): void {
  mkdirSync(join(target, ".."), { recursive: true });
  const fresh = `${target}.${process.pid}`;
  const sources = names.filter((name) => name.endsWith(".c"));
  const { exitCode, stderr } = Bun.spawnSync(["gcc", ...flags, ...sources, "-o", fresh], {
    cwd: folder,
  });
  if (exitCode !== 0) {
    throw new TestingError("BINARY_MISSING", `compile combination: ${stderr.toString()}`, {
      hint: "it wants gcc and the headers of the C library",
    });
  }
  renameSync(fresh, target);
}
