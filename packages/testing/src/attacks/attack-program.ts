import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../cache-folder.ts";
import { TestingError } from "../errors.ts";

const folder = join(import.meta.dirname, "../../attacks");
const flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static"];

/** Compilers of other machines' programs. */
const foreignCompilers: Readonly<Record<string, string>> = {
  arm64: "aarch64-linux-gnu-gcc",
  x64: "x86_64-linux-gnu-gcc",
};

/**
 * The path of `svc-attack`, compiled by gcc when its sources have changed. It is static: it runs in
 * any container and guest.
 *
 * @param env with HOME or XDG_CACHE_HOME.
 * @param architecture of the machine that runs it; by default this one's.
 * @throws TestingError `BINARY_MISSING` if it cannot be compiled.
 */
export function attackProgram(
  env: Readonly<Record<string, string | undefined>>,
  architecture: string = process.arch,
): string {
  const names = readdirSync(folder).sort();
  const hash = createHash("sha256").update([...flags, architecture].join(" "));
  for (const name of names) hash.update(name).update(readFileSync(join(folder, name)));
  const target = join(cacheFolder(env), `attacks-${hash.digest("hex").slice(0, 16)}`, "svc-attack");
  const compiler = architecture === process.arch ? "gcc" : foreignCompilers[architecture];
  if (!existsSync(target)) compile(compiler ?? "gcc", names, target);
  return target;
}

// Beside the target and renamed: another test may compile it, or run it, at the same time.
function compile(compiler: string, names: readonly string[], target: string): void {
  mkdirSync(join(target, ".."), { recursive: true });
  const fresh = `${target}.${process.pid}`;
  const sources = names.filter((name) => name.endsWith(".c"));
  const { exitCode, stderr } = Bun.spawnSync([compiler, ...flags, ...sources, "-o", fresh], {
    cwd: folder,
  });
  if (exitCode !== 0) {
    throw new TestingError("BINARY_MISSING", `compile svc-attack: ${stderr.toString()}`, {
      hint: `it wants ${compiler} and the headers of the C library`,
    });
  }
  renameSync(fresh, target);
}
