import { posix } from "node:path";
import { isEntryPoint } from "./entry-points.ts";
import { importsOf, type SourceFile } from "./source-file.ts";

/**
 * A program's start, like an entry point, imports from everywhere, and is imported by no folder.
 */
const start = /\/main\.ts$/;
const tests = /\.(?:engine-)?test\.ts$|\/testdata\/|\/test\//;
/** A backend implements an interface of the folder that it is in. */
const backends = /\/(?:bun|engine)$/;

/** Pairs of folders of one package that import each other; one line for each pair. */
export function mutualFolders(files: readonly SourceFile[]): readonly string[] {
  const arrows = new Map<string, string>();
  for (const { path, text } of files) {
    if (!path.startsWith("packages/") || isEntryPoint(path) || start.test(path) || tests.test(path))
      continue;
    for (const specifier of importsOf(text).filter((name) => name.startsWith("."))) {
      const target = posix.join(posix.dirname(path), specifier);
      const [from, to] = [posix.dirname(path), posix.dirname(target)];
      if (from !== to && !isBackendOf(from, to) && !isBackendOf(to, from)) {
        arrows.set(`${from} ${to}`, `${path} imports ${target}`);
      }
    }
  }
  return [...arrows].flatMap(([pair, one]) => {
    const [from = "", to = ""] = pair.split(" ");
    const other = arrows.get(`${to} ${from}`);
    return other === undefined || from > to
      ? []
      : [`${from} and ${to} import each other: ${one}, and ${other}`];
  });
}

function isBackendOf(folder: string, parent: string): boolean {
  return backends.test(folder) && posix.dirname(folder) === parent;
}
