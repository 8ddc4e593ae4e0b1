import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { ownArchitecture } from "../build/bundle/architecture.ts";
import { keyOf, longResult, type Result } from "../results/results.ts";
import type { Steps } from "../results/steps.ts";
import { machineCompilers } from "./toolchain/found-cargo.ts";
import { packagesPath } from "./toolchain/pinned-packages.ts";
import { cargo, rustFlags } from "./toolchain/run-cargo.ts";

/** An executable with tests of engine/. */
export interface TestProgram {
  /** In the folder of the result. */
  readonly file: string;
  /** The folder of its crate, below engine/. */
  readonly crate: string;
}

/** Together they have a hundred megabytes. */
const KEPT = 2;

const LIST = "tests.json";

const root = resolve(import.meta.dir, "../..");
const engine = join(root, "engine");

/** All that cargo compiles, and the settings of its lints. */
const sources = [
  ...["engine/Cargo.lock", "engine/*.toml", "engine/*/Cargo.toml", "engine/*/build.rs"],
  "engine/*/{src,tests,testdata}/**/*",
];
const recipe = ["scripts/engine/engine-tests.ts", "scripts/engine/toolchain/run-cargo.ts"];

/** The key of a result of these sources by this machine's compilers. */
export function sourcesKey(words: readonly string[]): string {
  const compilers = machineCompilers() ?? readFileSync(packagesPath, "utf8");
  const inputs = [compilers, rustFlags, ownArchitecture().rustTarget, ...words];
  return keyOf({ words: inputs, files: [...sources, ...recipe], root });
}

/** Compiles the tests of engine/, unless the cache has those of the same sources. */
export async function buildEngineTests(steps: Steps): Promise<EngineTests> {
  const name = "compile the engine's tests";
  const say = (line: string) => steps.say(`${name}: ${line}`);
  const compile = (folder: string) => steps.run(name, () => compileTests(folder, say));
  const folder = await longResult(wanted(), compile, say);
  return { folder, programs: JSON.parse(readFileSync(join(folder, LIST), "utf8")) };
}

/** Executables with tests, in their folder. */
export interface EngineTests {
  readonly folder: string;
  readonly programs: readonly TestProgram[];
}

/**
 * Runs tests to their end, with their output shown, as cargo does: in the folder of the crate.
 *
 * @throws Error with the names of those that failed.
 */
export function runEngineTests({ folder, programs }: EngineTests): void {
  const failed = programs.filter(({ file, crate }) => {
    process.stdout.write(`\n${file}:\n`);
    const cwd = join(engine, crate);
    const { exitCode } = Bun.spawnSync([join(folder, file)], {
      ...{ cwd, stdout: "inherit", stderr: "inherit" },
      env: { ...process.env, CARGO_MANIFEST_DIR: cwd },
    });
    return exitCode !== 0;
  });
  if (failed.length > 0) {
    throw new Error(`test the engine: failed: ${failed.map(({ file }) => file).join(", ")}`);
  }
}

function wanted(): Result {
  return { name: `engine-tests-${process.arch}`, key: sourcesKey([]), kept: KEPT };
}

async function compileTests(folder: string, say: (line: string) => void): Promise<void> {
  const { key } = wanted();
  const words = ["test", "--no-run", "--message-format=json-render-diagnostics"];
  const programs = await cargo({ words, say, capture: true }, ({ output }) =>
    testPrograms(output, engine).map(({ path, ...program }) => {
      copyFileSync(path, join(folder, program.file));
      return program;
    }),
  );
  if (wanted().key !== key) {
    throw new Error("compile the engine's tests: files have changed meanwhile: run it again");
  }
  writeFileSync(join(folder, LIST), JSON.stringify(programs));
}

/** A message of cargo's about a file that it has made. */
interface Artifact {
  readonly reason: string;
  readonly manifest_path: string;
  readonly executable: string | null;
  readonly profile: { readonly test: boolean };
  readonly target: { readonly name: string; readonly kind: readonly string[] };
}

/** Pure: the executables with tests in cargo's messages, by the names that they get. */
export function testPrograms(
  messages: string,
  sources: string,
): readonly (TestProgram & { readonly path: string })[] {
  const lines = messages.split("\n").filter((line) => line.startsWith("{"));
  return lines.flatMap((line) => {
    const { reason, executable, ...made }: Artifact = JSON.parse(line);
    if (reason !== "compiler-artifact" || executable === null || !made.profile.test) return [];
    const folder = dirname(made.manifest_path);
    const { name, kind } = made.target;
    const file = [basename(folder), ...kind, name].join("-");
    return [{ file, crate: relative(sources, folder), path: executable }];
  });
}
