import { circles } from "./circles.ts";
import { importedFiles, type SourceFile } from "./source-file.ts";

/**
 * Circles of imports between files, types included: a reader of one file of a circle has to read
 * all of it. One text for each circle.
 */
export function fileCircles(files: readonly SourceFile[]): readonly string[] {
  const graph = new Map(files.map((file) => [file.path, new Set(importedFiles(file))]));
  return circles(graph).map(
    (circle) => `circle of imports: ${[...circle, circle[0]].join("\n  imports ")}`,
  );
}
