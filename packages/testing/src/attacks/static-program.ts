import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../cache-folder.ts";
import { TestingError } from "../errors.ts";

const flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static"];

/** Compilers of other machines' programs. */
const foreignCompilers: Readonly<Record<string, string>> = {
  arm64: "aarch64-linux-gnu-gcc",
  x64: "x86_64-linux-gnu-gcc",
};

/** A program in C, of all sources of a folder. */
export interface StaticProgram {
  readonly name: string;
  readonly folder: string;
  /** With HOME or XDG_CACHE_HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The machine that runs it; by default this one. */
  readonly architecture?: string;
}

/**
 * The path of a program, compiled by gcc when its sources have changed. It is static: it runs in any
 * container and guest.
 *
 * @throws TestingError `BINARY_MISSING` if it cannot be compiled.
 */
export function staticProgram(program: StaticProgram): string {
  const { name, folder, env, architecture = process.arch } = program;
  const files = readdirSync(folder).sort();
  const hash = createHash("sha256").update([...flags, architecture].join(" "));
  for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
  const target = join(cacheFolder(env), `${name}-${hash.digest("hex").slice(0, 16)}`, name);
  const compiler = architecture === process.arch ? "gcc" : foreignCompilers[architecture];
  if (!existsSync(target)) compile(compiler ?? "gcc", program, files, target);
  return target;
}

// Beside the target and renamed: another test may compile it, or run it, at the same time.
function compile(
  compiler: string,
  { name, folder }: StaticProgram,
  files: readonly string[],
  target: string,
): void {
  mkdirSync(join(target, ".."), { recursive: true });
  const fresh = `${target}.${process.pid}`;
  const sources = files.filter((file) => file.endsWith(".c"));
  const { exitCode, stderr } = Bun.spawnSync([compiler, ...flags, ...sources, "-o", fresh], {
    cwd: folder,
  });
  if (exitCode !== 0) {
    throw new TestingError("BINARY_MISSING", `compile ${name}: ${stderr.toString()}`, {
      hint: `it wants ${compiler} and the headers of the C library`,
    });
  }
  renameSync(fresh, target);
}
