import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { buildEngineTools } from "./build-engine.ts";
import { buildPack, foreignModules } from "./pack.ts";
import { run } from "./run.ts";

// Runs the unit tests of the wrapper's packages on the small engine. `bun scripts/engine/test-on-engine.ts [PART]`
// takes the files whose path holds the part. A file that needs Bun is left out: it is bundled, and what it
// imports tells.

const root = resolve(import.meta.dir, "../..");
const folders = ["engine", "kernel", "protocol", "secret-bytes", "settings", "vault", "wrapper"];
const shim = join(root, "packages/engine/testing/bun-test.ts");

async function testOnEngine(part: string): Promise<void> {
  const files = testFiles().filter((path) => path.includes(part));
  const sorted = await Promise.all(files.map(async (path) => ({ path, needs: await needs(path) })));
  const suited = sorted.filter((file) => file.needs === undefined);
  for (const { path, needs } of sorted) {
    if (needs !== undefined)
      process.stdout.write(`left out ${relative(root, path)}: it needs ${needs}\n`);
  }
  const folder = join(root, "dist/engine-tests");
  mkdirSync(folder, { recursive: true });
  const entry = join(folder, "entry.ts");
  writeFileSync(entry, entryCode(suited.map(({ path }) => path)));
  const { compiler, runner } = buildEngineTools();
  const pack = await buildPack({ entry, folder, compiler, debug: true, plugins: [forEngine] });
  run([runner, pack]);
  process.stdout.write(
    `${suited.length} files on the engine, ${sorted.length - suited.length} left out\n`,
  );
}

function testFiles(): readonly string[] {
  const pattern = new Bun.Glob(`packages/{${folders.join(",")}}/**/*.test.ts`);
  return [...pattern.scanSync(root)].sort().map((path) => join(root, path));
}

/** The first thing that a test file imports, itself or by another one, and only Bun has. */
async function needs(path: string): Promise<string | undefined> {
  const bundle = await Bun.build({
    entrypoints: [path],
    target: "node",
    conditions: ["svc-engine"],
    external: ["svc:engine"],
    plugins: [forEngine, foreignModules],
    throw: false,
  });
  const [output] = bundle.outputs;
  if (!bundle.success || output === undefined) return "what cannot be bundled";
  const text = await output.text();
  const imports = new Bun.Transpiler({ loader: "js" }).scanImports(text);
  const foreign = imports.find((found) => found.path !== "svc:engine");
  if (foreign !== undefined) return foreign.path;
  return /\b(?:Bun|process|Buffer)\.\w+/.exec(text)?.[0];
}

/** `bun:test` is ours there. Bun resolves its own name before it asks a plugin, so the text changes. */
const forEngine: Bun.BunPlugin = {
  name: "tests for the engine",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      return { contents: text.replaceAll('"bun:test"', JSON.stringify(shim)), loader: "ts" };
    });
  },
};

function entryCode(paths: readonly string[]): string {
  const tests = paths.map((path) => `import ${JSON.stringify(path)};\n`).join("");
  return `import { runTests } from ${JSON.stringify(shim)};\n${tests}await runTests();\n`;
}

if (import.meta.main) await testOnEngine(process.argv[2] ?? "");
