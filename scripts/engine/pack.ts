import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { run } from "./run.ts";

/** The parts of a bundle, and its options. */
export interface PackOptions {
  /** The module at which a start begins: its file is called `main.ts`. */
  readonly entry: string;
  /** The module that imports all that a start evaluates, if the wrapper holds an image of it. */
  readonly image?: string;
  /** A folder of this pack's own, for intermediate files. */
  readonly folder: string;
  /** The compiler of bytecode that `buildEngine` made. */
  readonly compiler: string;
  /** Leaves names and lines as they are, for errors. */
  readonly debug?: boolean;
  readonly plugins?: readonly BunPlugin[];
}

const globalsEntry = resolve(import.meta.dir, "../../packages/engine/src/globals.ts");

/** The only module that the engine has. */
const ENGINE = "svc:engine";

/**
 * Bundles TypeScript for the engine and compiles it to bytecode.
 *
 * @returns the path of the pack.
 * @throws Error if something is imported that the engine has not got.
 */
export async function buildPack(options: PackOptions): Promise<string> {
  const { entry, image, folder, compiler, debug = false, plugins = [] } = options;
  const modules = join(folder, "modules");
  rmSync(modules, { recursive: true, force: true });
  mkdirSync(modules, { recursive: true });
  const bundle = (paths: readonly string[]) =>
    Bun.build({
      entrypoints: [...paths],
      outdir: modules,
      // For Bun `using` would stay, which QuickJS cannot read.
      target: "browser",
      format: "esm",
      splitting: true,
      // For browsers only: it would have every start list the chunks.
      modulePreload: false,
      minify: !debug,
      conditions: ["svc-engine"],
      external: [ENGINE],
      naming: { entry: "[name].js", chunk: "[hash].js" },
      plugins: [...plugins, foreignModules],
    });
  // The host evaluates it first: in one bundle the functions of the Web would come after their
  // users.
  const { outputs: globals } = await bundle([globalsEntry]);
  const { outputs } = await bundle(image === undefined ? [entry] : [entry, image]);
  const paths = [...globals, ...outputs].map(({ path }) => path);
  await refuseForeignImports(paths);
  for (const path of paths) await loadByHost(path);
  const pack = join(folder, "modules.pack");
  run([compiler, ...(debug ? ["--debug"] : []), pack, ...paths]);
  return pack;
}

/**
 * Has the host load the modules that a module imports later. The interpreter's own `import()` asks
 * for the name of the file that it stands in, and stripped bytecode has none.
 */
async function loadByHost(path: string): Promise<void> {
  const text = await Bun.file(path).text();
  const loading = text.replaceAll(/\bimport\((?="\.\/[\w.]+\.js"\))/g, "loadModuleOfPack(");
  if (loading === text) return;
  const binding = `import{loadModule as loadModuleOfPack}from"${ENGINE}";\n`;
  await Bun.write(path, binding + loading);
}

/** Bun would replace modules of Node or Bun by weaker ones. */
export const foreignModules: BunPlugin = {
  name: "modules of Node and Bun",
  setup(build) {
    build.onResolve({ filter: /^(?:node|bun):|^bun$/ }, ({ path }) => ({ path, external: true }));
  },
};

async function refuseForeignImports(paths: readonly string[]): Promise<void> {
  const scanner = new Bun.Transpiler({ loader: "js" });
  for (const path of paths) {
    const imports = scanner.scanImports(await Bun.file(path).text());
    const foreign = imports.find((found) => found.path !== ENGINE && !found.path.startsWith("./"));
    if (foreign !== undefined) throw new Error(`${path} imports ${foreign.path}`);
  }
}
