import { basename, resolve } from "node:path";
import type { BunPlugin } from "bun";

/** The wrapper's modules, compiled as for its engine. Each start of a process evaluates its own. */
export interface WrapperCode {
  /** The functions of the Web, which come first. */
  readonly globals: string;
  readonly main: string;
  readonly modules: ReadonlyMap<string, Module>;
}

/** Evaluates a module: it reads others by `require`, and fills `exports`. */
type Module = (
  module: { exports: object },
  exports: object,
  require: (name: string) => unknown,
  ...globals: readonly unknown[]
) => void;

/** The names that the engine's globals give the wrapper, and those that a simulation replaces. */
export const globalNames = [
  "AbortController",
  "AbortSignal",
  "DOMException",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "clearInterval",
  "clearTimeout",
  "crypto",
  "performance",
  "setInterval",
  "setTimeout",
  "Date",
  "Math",
  "globalThis",
] as const;

/** The only module that the engine has. */
export const ENGINE = "svc:engine";

const packages = resolve(import.meta.dir, "../../..");
const entries = {
  globals: resolve(packages, "engine/src/globals.ts"),
  main: resolve(packages, "wrapper/src/main.ts"),
};

/** Bundles the wrapper's TypeScript, as scripts/engine/pack.ts does for the engine. */
export async function compileWrapper(plugins: readonly BunPlugin[] = []): Promise<WrapperCode> {
  const bundle = (entrypoint: string) =>
    Bun.build({
      entrypoints: [entrypoint],
      target: "browser",
      format: "esm",
      splitting: true,
      modulePreload: false,
      conditions: ["svc-engine"],
      external: [ENGINE],
      naming: { entry: "[name].js", chunk: "[hash].js" },
      plugins: [...plugins],
    });
  const built = [await bundle(entries.globals), await bundle(entries.main)];
  const modules = new Map<string, Module>();
  for (const { path, text } of built.flatMap(({ outputs }) => outputs).map(textOf)) {
    modules.set(path, compile(await text));
  }
  return { globals: "./globals.js", main: "./main.js", modules };
}

const textOf = (output: { readonly path: string; text(): Promise<string> }) => ({
  path: `./${basename(output.path)}`,
  text: output.text(),
});

/** Makes a function of a module: imports become calls of `require`. */
function compile(text: string): Module {
  const body = new Bun.Transpiler({ loader: "js" })
    .transformSync(text)
    .replaceAll(/^import\s*\*\s*as\s+(\w+)\s*from\s*("[^"]+");?$/gm, "const $1 = require($2);")
    .replaceAll(
      /^import\s*\{([^}]*)\}\s*from\s*("[^"]+");?$/gm,
      (_, names: string, from: string) =>
        `const {${names.replaceAll(/\s+as\s+/g, ": ")}} = require(${from});`,
    )
    .replaceAll(/^import\s*("[^"]+");?$/gm, "require($1);")
    .replaceAll(/^export\s*\{([^}]*)\};?$/gm, (_, names: string) => exportsOf(names))
    .replaceAll(/\bimport\((?="\.\/[\w.-]+\.js"\))/g, `require("${ENGINE}").loadModule(`);
  return new Function(
    "module",
    "exports",
    "require",
    ...globalNames,
    `"use strict";{${body}}`,
  ) as Module;
}

/** Getters: a module may be read before it is done. */
function exportsOf(names: string): string {
  return names
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean)
    .map((name) => {
      const [local = name, exported = local] = name.split(/\s+as\s+/);
      return `Object.defineProperty(exports, "${exported}", {get: () => ${local}, enumerable: true});`;
    })
    .join("");
}
