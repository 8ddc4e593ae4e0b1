import { dirname, join, normalize } from "node:path";

/** A TypeScript file, by its path from the root. */
export type Sources = ReadonlyMap<string, string>;

/** An `import` or `export … from` that is there at run time. */
interface Import {
  readonly specifier: string;
  /** The imported names; undefined for all. */
  readonly names: readonly string[] | undefined;
}

/** The files that a package offers by the end of a specifier: `.`, `./testdata`, `#native`. */
export type Entries = Readonly<Record<string, readonly string[]>>;

/** Packages of this repository by name. */
export type Packages = ReadonlyMap<string, { readonly entries: Entries }>;

/**
 * The files that each file imports at run time. An import from a package leads to the files that
 * the names come from, and not to all that the package offers.
 */
export function importGraph(
  sources: Sources,
  packages: Packages,
): ReadonlyMap<string, readonly string[]> {
  const imports = new Map([...sources].map(([path, text]) => [path, importsOf(text)]));
  return new Map(
    [...imports].map(([path, own]) => {
      const targets = own.flatMap(({ specifier, names }) =>
        filesOf(path, specifier, packages).flatMap((file) =>
          isEntry(specifier) ? originsOf(file, names, imports) : [file],
        ),
      );
      return [path, [...new Set(targets)]];
    }),
  );
}

function isEntry(specifier: string): boolean {
  return specifier.startsWith("@svc/");
}

/** The files of a specifier: several if runtimes have different ones. */
function filesOf(path: string, specifier: string, packages: Packages): readonly string[] {
  if (specifier.startsWith(".")) return [normalize(join(dirname(path), specifier))];
  const [, own = ""] = /^packages\/([^/]+)\//.exec(path) ?? [];
  if (specifier.startsWith("#")) return packages.get(`@svc/${own}`)?.entries[specifier] ?? [];
  const [, name = "", rest = ""] = /^(@svc\/[^/]+)(\/.+)?$/.exec(specifier) ?? [];
  return packages.get(name)?.entries[`.${rest}`] ?? [];
}

/** The files of the names that an entry point offers; the entry point itself if unknown. */
function originsOf(
  entry: string,
  names: readonly string[] | undefined,
  imports: ReadonlyMap<string, readonly Import[]>,
): readonly string[] {
  const offered = imports.get(entry) ?? [];
  return (names ?? ["*"]).flatMap((name) => {
    const from = offered.find((one) => one.names?.includes(name));
    return from === undefined ? [entry] : [normalize(join(dirname(entry), from.specifier))];
  });
}

/** All imports of a file but those of types, which are gone at run time. */
function importsOf(text: string): readonly Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "");
  const clauses = code.matchAll(
    /^\s*(?:import|export)\s+(?!type\b)([^"';]*?)\s+from\s+"([^"]+)"/gm,
  );
  const others = code.matchAll(/(?:^\s*import\s+|\bimport\()"([^"]+)"/gm);
  return [
    ...[...clauses].map(([, clause = "", specifier = ""]) => ({
      specifier,
      names: namesIn(clause),
    })),
    ...[...others].map(([, specifier = ""]) => ({ specifier, names: undefined })),
  ].filter(({ names }) => names === undefined || names.length > 0);
}

/** `{ a, type B, c as d }` gives a and c; anything else stands for all. */
function namesIn(clause: string): readonly string[] | undefined {
  const [, list] = /^\{([^}]*)\}$/.exec(clause.trim()) ?? [];
  if (list === undefined) return undefined;
  const parts = list.split(",").map((part) => part.trim());
  return parts
    .filter((part) => part !== "" && !part.startsWith("type "))
    .map((part) => part.split(" as ")[0] ?? part);
}
