import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** A module of npm's that is compiled into a program. */
export interface BundledModule {
  readonly name: string;
  readonly version: string;
  /** SPDX; undefined if its package.json has none. */
  readonly licence: string | undefined;
}

/**
 * The modules that a package of this repository needs, with all that those need, by name. The
 * bundler may leave parts of them out; none comes in that is not here.
 *
 * @param folder of the package, with `node_modules` beside or above it
 */
export function bundledModules(folder: string): readonly BundledModule[] {
  const found = new Map<string, BundledModule>();
  const seen = new Set<string>();
  const visit = (at: string): void => {
    const real = realpathSync(at);
    if (seen.has(real)) return;
    seen.add(real);
    const { name, version, license, dependencies = {} } = readPackage(real);
    const isOurs = name.startsWith("@svc/");
    if (!isOurs) found.set(`${name}@${version}`, { name, version, licence: license });
    for (const dependency of Object.keys(dependencies)) {
      const path = resolveModule(real, dependency);
      if (path !== undefined) visit(path);
    }
  };
  visit(folder);
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, module]) => module);
}

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readPackage(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** As Node.js looks for it: in `node_modules` of the folder and of each above it. */
function resolveModule(from: string, name: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const path = join(at, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return path;
    if (dirname(at) === at) return undefined;
  }
}
