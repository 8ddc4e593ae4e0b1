import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * Modules and those that they depend on, each after the ones that it needs, uncompressed. A name
 * that is not there is built into the kernel.
 */
export function kernelModules(folder: string, names: readonly string[]): readonly Uint8Array[] {
  const paths = pathsByName(folder);
  const found = new Map<string, Uint8Array>();
  const add = (name: string): void => {
    const path = paths.get(name);
    if (path === undefined || found.has(name)) return;
    const bytes = uncompressed(path);
    for (const other of dependenciesOf(bytes)) add(other);
    found.set(name, bytes);
  };
  for (const name of names) add(name);
  return [...found.values()];
}

function pathsByName(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    files
      .filter((file) => file.isFile() && /\.ko(\.xz)?$/.test(file.name))
      .map((file) => [moduleName(file.name), join(file.parentPath, file.name)]),
  );
}

function uncompressed(path: string): Uint8Array {
  if (!path.endsWith(".xz")) return readFileSync(path);
  const { exitCode, stdout, stderr } = Bun.spawnSync(["xz", "--decompress", "--stdout", path]);
  if (exitCode !== 0) throw new TypeError(`unpack ${basename(path)}: ${stderr.toString()}`);
  return stdout;
}

/** The facts that a module has about itself (`.modinfo`): `depends=a,b` between NULs. */
function dependenciesOf(bytes: Uint8Array): readonly string[] {
  const [, names = ""] = /\0depends=([\w,-]*)\0/.exec(Buffer.from(bytes).toString("latin1")) ?? [];
  return names === "" ? [] : names.split(",").map(moduleName);
}

/** Names of files have hyphens in the place of a module's underscores. */
function moduleName(file: string): string {
  return file.replace(/\.ko(\.xz)?$/, "").replaceAll("-", "_");
}
