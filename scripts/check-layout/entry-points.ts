import { posix } from "node:path";
import { importsOf, type SourceFile } from "./source-file.ts";

/**
 * The entry points of a package: its exports, its tables for the reference pages, its test
 * material, and the part of `testing` that scripts use.
 */
const entryPoints =
  /^packages\/[a-z-]+\/(?:src\/(?:index|csi|reference|tools|testdata\/index)|test\/[a-z-]+)\.ts$/;

/** Whether other packages, stories, benchmarks and scripts may import a file. */
export function isEntryPoint(path: string): boolean {
  return entryPoints.test(path);
}

/** Imports of a package's inside from outside of it. */
export function deepImports({ path, text }: SourceFile): readonly string[] {
  return importsOf(text).flatMap((specifier) => {
    if (!specifier.startsWith(".")) return [];
    const target = posix.join(posix.dirname(path), specifier);
    const owner = packageOf(target);
    if (owner === undefined || owner === packageOf(path) || isEntryPoint(target)) return [];
    return [
      `imports ${JSON.stringify(specifier)}: wanted an entry point of the package, such as its index`,
    ];
  });
}

function packageOf(path: string): string | undefined {
  return /^packages\/([a-z-]+)\//.exec(path)?.[1];
}
