import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Steps } from "../results/steps.ts";
import { buildTestEngine } from "./build-engine.ts";
import { buildPack, foreignModules } from "./pack.ts";
import { run } from "./run.ts";
import { forTests, shim } from "./tests-without-bun.ts";

// Runs the unit tests of the wrapper's packages on the small engine:
// `bun scripts/engine/test-on-engine.ts [PART …]` takes the files whose path holds one of the parts.
//
// A file whose own code, or that of the packages, needs Bun is left out: it is bundled, and the
// bundle tells. A test that uses a feature of Bun is left out when it runs.

const root = resolve(import.meta.dir, "../..");
const folders = ["engine", "kernel", "protocol", "secret-bytes", "settings", "vault", "wrapper"];

async function testOnEngine(parts: readonly string[]): Promise<void> {
  const files = testFiles().filter((path) => parts.some((part) => path.includes(part)));
  const sorted = await Promise.all(files.map(async (path) => ({ path, needs: await needs(path) })));
  const suited = sorted.filter((file) => file.needs === undefined);
  for (const { path, needs } of sorted) {
    if (needs !== undefined)
      process.stdout.write(`left out ${relative(root, path)}: it needs ${needs}\n`);
  }
  if (suited.length === 0) {
    process.stdout.write("none of these tests runs on the engine\n");
    return;
  }
  const folder = join(root, "dist/engine-tests");
  mkdirSync(folder, { recursive: true });
  const entry = join(folder, "main.ts");
  writeFileSync(entry, entryCode(suited.map(({ path }) => path)));
  const steps = new Steps((line) => void process.stdout.write(`${line}\n`));
  const { compiler, host } = await buildTestEngine(steps);
  const pack = await buildPack({ entry, folder, compiler, debug: true, plugins: [forTests] });
  run([host, pack]);
  process.stdout.write(
    `${suited.length} files on the engine, ${sorted.length - suited.length} left out\n`,
  );
}

function testFiles(): readonly string[] {
  const pattern = new Bun.Glob(`packages/{${folders.join(",")}}/**/*.{test,engine-test}.ts`);
  const paths = [...pattern.scanSync(root)].filter((path) => !path.includes("/bun/"));
  return paths.sort().map((path) => join(root, path));
}

/** The first thing that a test file imports, itself or by another one, and only Bun has. */
async function needs(path: string): Promise<string | undefined> {
  const bundle = await Bun.build({
    entrypoints: [path],
    target: "browser",
    conditions: ["svc-engine"],
    external: ["svc:engine"],
    plugins: [forTests, foreignModules, laterModules],
    throw: false,
  });
  const [output] = bundle.outputs;
  if (!bundle.success || output === undefined) return "the file cannot be bundled";
  const text = await output.text();
  const imports = new Bun.Transpiler({ loader: "js" }).scanImports(text);
  const own = imports.filter(({ kind }) => kind !== "dynamic-import");
  const foreign = own.find((found) => found.path !== "svc:engine");
  if (foreign !== undefined) return foreign.path;
  return /(?<![-\w./])(?:Bun|process|Buffer)\.\w+/.exec(text)?.[0];
}

/** A part that is loaded later is not a part of the file: no test goes on into it. */
const laterModules: Bun.BunPlugin = {
  name: "modules that are loaded later",
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

/** By dynamic imports: a test file that needs Bun must not keep the others from their tests. */
function entryCode(paths: readonly string[]): string {
  const tests = paths.map((path) => {
    const [name, file] = [relative(root, path), path].map((text) => JSON.stringify(text));
    return `await testFile(${name}, () => import(${file}));\n`;
  });
  const imported = `import { runTests, testFile } from ${JSON.stringify(shim)};\n`;
  return `${imported}${tests.join("")}await runTests();\n`;
}

if (import.meta.main) {
  const parts = process.argv.slice(2);
  await testOnEngine(parts.length > 0 ? parts : [""]);
}
