import { circles } from "./circles.ts";
import { type RustPath, rustPaths } from "./rust-paths.ts";
import type { SourceFile } from "./source-file.ts";

/** A file of a crate. */
interface Module {
  readonly file: string;
  readonly crate: string;
  /** Its path of names in the crate: `["sys", "image"]`. The crate's root has none. */
  readonly names: readonly string[];
  readonly used: readonly RustPath[];
  /** Names that it passes on with `pub use`, and the paths behind them. */
  readonly passedOn: ReadonlyMap<string, RustPath>;
}

/** The modules of all crates, by their keys. */
type Modules = ReadonlyMap<string, Module>;

/**
 * Circles of modules in a crate of engine/, one text for each. A `pub use` does not count: it is
 * for readers outside. An arrow to such a name leads to the module behind it.
 */
export function moduleCircles(files: readonly SourceFile[]): readonly string[] {
  const modules = files.flatMap(modulesIn);
  const known = new Map(modules.map((module) => [keyOf(module.crate, module.names), module]));
  const graph = new Map(
    modules.map(({ file, ...module }) => {
      const targets = module.used.flatMap((path) => fileBehind(known, module, path) ?? []);
      return [file, new Set(targets.filter((target) => target !== file))];
    }),
  );
  return circles(graph).map(
    (circle) => `circle of modules: ${[...circle, circle[0]].join("\n  uses ")}`,
  );
}

/** None for tests, and for programs, which are crates that nothing can use. */
function modulesIn({ path, text }: SourceFile): readonly Module[] {
  const [, crate = "", inside = "bin/"] = /^engine\/([a-z]+)\/src\/(.+)\.rs$/.exec(path) ?? [];
  if (/^bin\/|(?:^|\/)tests$/.test(inside)) return [];
  const names = inside
    .replace(/(?:^|\/)(?:lib|main|mod)$/, "")
    .split("/")
    .filter(Boolean);
  const { used, passedOn } = rustPaths(text);
  const byName = new Map(passedOn.map((behind) => [behind.at(-1) ?? "", behind]));
  return [{ file: path, crate, names, used, passedOn: byName }];
}

type Place = Pick<Module, "crate" | "names">;

/**
 * The file that a path in a module leads to. Undefined for names of other crates, and for names of
 * the module itself.
 */
function fileBehind(known: Modules, from: Place, path: RustPath): string | undefined {
  const names = fromRoot(known, from, path);
  if (names === undefined) return undefined;
  for (let length = names.length; length >= 0; length -= 1) {
    const module = known.get(keyOf(from.crate, names.slice(0, length)));
    if (module === undefined) continue;
    const behind = module.passedOn.get(names[length] ?? "");
    return (behind && fileBehind(known, module, behind)) ?? module.file;
  }
  return undefined;
}

function fromRoot(known: Modules, { crate, names }: Place, path: RustPath): RustPath | undefined {
  const [first = "", ...rest] = path;
  if (first === "crate") return rest;
  if (first === "self") return [...names, ...rest];
  if (first === "super" && rest[0] === "super") {
    return fromRoot(known, { crate, names: names.slice(0, -1) }, rest);
  }
  if (first === "super") return [...names.slice(0, -1), ...rest];
  return known.has(keyOf(crate, [...names, first])) ? [...names, ...path] : undefined;
}

function keyOf(crate: string, names: readonly string[]): string {
  return [crate, ...names].join("::");
}
