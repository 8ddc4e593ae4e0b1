import { posix } from "node:path";
import { circles } from "./circles.ts";
import { isEntryPoint } from "./entry-points.ts";
import { importedFiles, type SourceFile } from "./source-file.ts";

const tests = /\.(?:engine-)?test\.ts$|\/testdata\/|\/test\//;
/** A backend implements an interface of the folder that it is in. */
const backends = /\/(?:bun|engine)$/;
/** From a folder to each folder that it imports from, with one import to show. */
type Arrows = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Circles of folders that import each other, through any number of them; one text for each. */
export function folderCircles(files: readonly SourceFile[]): readonly string[] {
  const arrows = arrowsOf(files);
  const graph = new Map([...arrows].map(([from, to]) => [from, new Set(to.keys())]));
  return circles(graph).map((circle) => {
    const steps = circle.map((from, at) => {
      const to = circle[(at + 1) % circle.length] ?? "";
      return `  ${arrows.get(from)?.get(to)}`;
    });
    return [`circle of folders: ${[...circle, circle[0]].join(" -> ")}`, ...steps].join("\n");
  });
}

function arrowsOf(files: readonly SourceFile[]): Arrows {
  const imported = new Set(files.flatMap(importedFiles));
  const arrows = new Map<string, Map<string, string>>();
  for (const file of files.filter(({ path }) => isInside(path, imported))) {
    const from = posix.dirname(file.path);
    for (const target of importedFiles(file)) {
      const to = posix.dirname(target);
      if (from === to || isBackendOf(from, to) || isBackendOf(to, from)) continue;
      const known = arrows.get(from) ?? new Map<string, string>();
      arrows.set(from, known.set(to, `${file.path} imports ${target}`));
    }
  }
  return arrows;
}

/**
 * A program's start, like an entry point, imports from everywhere. In a package it is `main.ts`.
 * Elsewhere it has any name, and no file imports it.
 */
function isInside(path: string, imported: ReadonlySet<string>): boolean {
  if (tests.test(path)) return false;
  if (path.startsWith("packages/"))
    return !isEntryPoint(path) && posix.basename(path) !== "main.ts";
  return imported.has(path);
}

function isBackendOf(folder: string, parent: string): boolean {
  return backends.test(folder) && posix.dirname(folder) === parent;
}
