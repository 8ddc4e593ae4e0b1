import { join } from "node:path";

/** The paths of the two programs that measure. */
export interface Programs {
  /** Prints a line when it starts, and becomes the program that its arguments name. */
  readonly launcher: string;
  /** Says when its first instruction runs. With an argument it waits until it is killed. */
  readonly program: string;
  /** Takes the pages of the file that its argument names out of the page cache. */
  readonly evict: string;
}

const flags = ["-O2", "-Wall", "-Wextra", "-Werror"];

/** Compiles the programs of `bench/programs` into a folder; needs gcc. */
export function compilePrograms(folder: string): Programs {
  return {
    launcher: compileProgram("launch", folder, []),
    program: compileProgram("first", folder, ["-static", "-nostdlib"]),
    evict: compileProgram("evict", folder, []),
  };
}

/** Compiles one program of `bench/programs`; returns its path. */
export function compileProgram(name: string, folder: string, more: readonly string[]): string {
  const target = join(folder, name);
  const source = join(import.meta.dir, "programs", `${name}.c`);
  const { exitCode, stderr } = Bun.spawnSync(["gcc", ...flags, ...more, "-o", target, source]);
  if (exitCode !== 0) throw new Error(`compile ${source}: ${stderr}`);
  return target;
}
