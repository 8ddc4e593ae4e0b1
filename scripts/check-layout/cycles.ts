import { posix } from "node:path";
import { importsOf, type SourceFile } from "./source-file.ts";

/**
 * Circles of imports inside the repository, types included: a reader of one file of a circle has to
 * read all of it. One line for each file that can reach itself.
 */
export function cycles(files: readonly SourceFile[]): readonly string[] {
  const graph = new Map(files.map((file) => [file.path, targetsOf(file)]));
  return files
    .filter(({ path }) => reaches(graph, path))
    .map(({ path }) => `${path}: is part of a circle of imports`);
}

function targetsOf({ path, text }: SourceFile): readonly string[] {
  return importsOf(text)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(posix.dirname(path), specifier));
}

function reaches(graph: ReadonlyMap<string, readonly string[]>, start: string): boolean {
  const seen = new Set<string>();
  const open = [...(graph.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === start) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(graph.get(next) ?? []));
  }
  return false;
}
