import { posix } from "node:path";

/** A file of the repository, in TypeScript or Rust. */
export interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

/** Every specifier that a file imports or re-exports, dynamic imports included. */
export function importsOf(text: string): readonly string[] {
  const forms = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;
  return [...withoutComments(text).matchAll(forms)].flatMap(([, specifier]) => specifier ?? []);
}

/** The paths of the files that a file imports by a relative path. */
export function importedFiles({ path, text }: SourceFile): readonly string[] {
  return importsOf(text)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(posix.dirname(path), specifier));
}

/** The code alone. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");
}
