import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { keyOf, result } from "../results/results.ts";

/** A file that C compilers make from a folder of sources. */
export interface CompiledFile {
  /** For people, and for the cache: `interposer-x64`. */
  readonly name: string;
  /** The folder of the sources, and of the commands. */
  readonly folder: string;
  /** The sources that are compiled; the headers beside them count as inputs, too. */
  readonly sources: readonly string[];
  /** The compiler and its flags, without sources and results. */
  readonly command: readonly string[];
  /** Other programs that decide on the bytes. */
  readonly tools: readonly string[];
  /** Makes the file. @throws Error with the compiler's complaint. */
  make(path: string): void;
}

/**
 * Puts the file at `target`, from the cache if it has that of the same inputs. These are the
 * sources, all headers that they include, the flags, and the versions of the programs. Does
 * nothing if neither sources nor programs have changed.
 *
 * @returns whether it was put there now.
 */
export function putCompiled(file: CompiledFile, target: string): boolean {
  const stampFile = join(dirname(target), `.${basename(target)}.stamp`);
  const stamp = stampOf(file);
  const isThere = existsSync(target) && existsSync(stampFile);
  if (isThere && readFileSync(stampFile, "utf8") === stamp) return false;
  const key = keyOf({ words: inputsOf(file), files: ["*"], root: file.folder });
  const name = basename(target);
  const kept = result({ name: file.name, key }, (work) => file.make(join(work, name)));
  mkdirSync(dirname(target), { recursive: true });
  // Beside the target and renamed: a program that has loaded it keeps its own inode.
  const fresh = `${target}.${process.pid}`;
  copyFileSync(join(kept, name), fresh);
  renameSync(fresh, target);
  writeFileSync(stampFile, stamp);
  return true;
}

/** Cheap: it runs before each test that needs the file. */
function stampOf({ folder, command, tools }: CompiledFile): string {
  const programs = [command[0] ?? "", ...tools].map((program) => {
    const path = Bun.which(program);
    return path === null ? [program] : [path, statSync(path).size, statSync(path).mtimeMs];
  });
  const words = [JSON.stringify(programs), ...command];
  return keyOf({ words, files: ["*"], root: folder });
}

function inputsOf({ folder, sources, command, tools }: CompiledFile): readonly string[] {
  const versions = [command[0] ?? "", ...tools].map((program) =>
    run([program, "--version"], folder),
  );
  const preprocessed = sources.map((source) => run([...command, "-E", source], folder));
  const digest = createHash("sha256").update(preprocessed.join("")).digest("hex");
  return [...command, ...versions, digest];
}

/** Runs a compiler, and gives its output. @throws Error with its complaint. */
export function run(command: readonly string[], folder: string): string {
  const [program = ""] = command;
  if (Bun.which(program) === null) {
    throw new Error(`compile: ${program} is missing\nhint: bun scripts/ensure-commands.ts`);
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd: folder });
  if (exitCode !== 0) throw new Error(`compile: ${command.join(" ")}: ${stderr.toString()}`);
  return stdout.toString();
}
