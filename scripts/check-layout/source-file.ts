/** A TypeScript file of the repository. */
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

/** The code alone. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");
}
