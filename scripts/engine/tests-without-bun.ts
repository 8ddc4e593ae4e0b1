import { dirname, resolve } from "node:path";
import type { BunPlugin } from "bun";

const testing = resolve(import.meta.dir, "../../packages/engine/testing");

/** `bun:test` for the engine. */
export const shim = `${testing}/bun-test.ts`;

/** The engine's replacements for modules of Bun and Node. */
const modules: Readonly<Record<string, string>> = {
  "bun:test": shim,
  "node:crypto": `${testing}/node-crypto.ts`,
  "node:fs": `${testing}/node-fs.ts`,
  "node:os": `${testing}/node-os.ts`,
  "node:path": `${testing}/node-path.ts`,
};

/** Files whose text is changed. The code of the packages stays as it is. */
const testFiles = /\.(?:engine-)?test\.ts$|\/(?:test|testdata|testing\/src)\/[^/]+\.ts$/;

/**
 * Gives test files the engine's modules and globals in place of Bun's. By their text: Bun resolves
 * its own names before it asks a plugin.
 */
export const forTests: BunPlugin = {
  name: "tests without Bun",
  setup(build) {
    build.onLoad({ filter: testFiles }, async ({ path }) => ({
      contents: withoutBun(await Bun.file(path).text(), path),
      loader: "ts",
    }));
  },
};

/** Uses of Bun's globals, and neither members of that name nor parts of paths. */
const globals = /(?<![-\w/]|(?<!\.\.)\.)(?:Bun|Buffer|process)(?=\.\w)|\bResponse(?=\()/g;

/** A test file's text for the engine. */
export function withoutBun(text: string, path: string): string {
  const changed = text
    .replace(/^import \{([^}]*)\} from "((?:node:|bun)[^"]*)";$/gm, importFor)
    .replace(/\bimport\.meta\.dir(?:name)?\b/g, JSON.stringify(dirname(path)))
    .replace(/\bimport\.meta\.path\b/g, JSON.stringify(path))
    .replace(globals, (name) => `test${name[0]?.toUpperCase()}${name.slice(1)}`);
  return header(changed) + changed;
}

function importFor(_text: string, names: string, module: string): string {
  const ours = modules[module];
  if (ours !== undefined) return `import {${names}} from ${JSON.stringify(ours)};`;
  const values = names.split(",").map((name) => name.trim());
  return values
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => {
      const [imported = "", local = imported] = name.split(" as ");
      return `const ${local} = onlyBun(${JSON.stringify(`${imported} of ${module}`)});`;
    })
    .join(" ");
}

/** On the first line, so that the lines of errors stay right. */
function header(text: string): string {
  const names = ["testBuffer", "testBun", "testProcess", "testResponse"];
  const used = names.filter((name) => text.includes(name));
  const need = text.includes("onlyBun(") ? ["onlyBun"] : [];
  return importOf(used, "bun-globals.ts") + importOf(need, "needs-bun.ts");
}

function importOf(names: readonly string[], file: string): string {
  if (names.length === 0) return "";
  return `import { ${names.join(", ")} } from ${JSON.stringify(`${testing}/${file}`)}; `;
}
