import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A source file, and the tools that make something of it. */
export interface Source {
  readonly root: string;
  /** From the root. */
  readonly path: string;
  /** Changes with the tools, so that no older result is taken. */
  readonly tools: string;
  /** The folder below dist/ that keeps results. */
  readonly folder: string;
}

/** Makes JSON of a file's text. The result is kept until the file or the tools change. */
export async function keptByContent<T>(
  { root, path, tools, folder }: Source,
  make: (text: string) => T | Promise<T>,
): Promise<T> {
  const text = readFileSync(join(root, path), "utf8");
  const name = `${path}.${Bun.hash(`${tools}\n${text}`)}.json`;
  const kept = join(root, "dist", folder, name);
  // Written by this function.
  if (await Bun.file(kept).exists()) return (await Bun.file(kept).json()) as T;
  const made = await make(text);
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, JSON.stringify(made));
  return made;
}
