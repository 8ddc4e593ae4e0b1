import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Architecture, ownArchitecture } from "./build/bundle/architecture.ts";
import { foreignRuntime } from "./build/bundle/foreign-runtime.ts";
import { hardenRuntime } from "./build/harden-runtime.ts";
import { buildPreload } from "./build/preload.ts";
import { programsFolder } from "./build/programs-folder.ts";
import { buildEngineWrapper } from "./engine/build-wrapper.ts";
import { ensureNeeds } from "./needs/ensure-needs.ts";
import { keyOf } from "./results/results.ts";
import { Steps } from "./results/steps.ts";

/** The entry points of the programs. The wrapper runs on the engine, all others on Bun. */
export const programs = {
  "svc-wrapper": "packages/wrapper/src/main.ts",
  svc: "packages/cli/src/main.ts",
  "svc-operator": "packages/operator/src/main.ts",
  "svc-agent": "packages/agent/src/main.ts",
} as const;

const root = resolve(import.meta.dir, "..");

/** All that decides on a program, without the runtime. */
const sources = [
  ...["packages/*/src/**/*.ts", "packages/*/package.json"],
  ...["scripts/build.ts", "scripts/build/*.ts", "bun.lock"],
];

/** All of the engine that goes into the wrapper. */
const engineSources = [
  ...["engine/Cargo.lock", "engine/**/Cargo.toml", "engine/*/build.rs", "engine/*/src/**/*"],
  ...["scripts/engine/*.ts", "scripts/engine/toolchain/*"],
];

if (import.meta.main) {
  ensureNeeds("build");
  const steps = new Steps((line) => void process.stdout.write(`${line}\n`));
  await build(undefined, undefined, steps);
  steps.say(`the programs are in dist/bin: ${steps.summary()}`);
}

/** The name of a program. */
export type ProgramName = keyof typeof programs;

/**
 * Compiles programs for an architecture, by default all of them for this machine's. Skips those
 * whose sources have not changed.
 */
export async function build(
  architecture = ownArchitecture(),
  names = Object.keys(programs) as readonly ProgramName[],
  steps = new Steps((line) => void process.stdout.write(`${line}\n`)),
): Promise<void> {
  buildPreload(root, architecture.name);
  const folder = join(root, programsFolder(architecture));
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const target = join(folder, name);
    const stamp = stampOf(name);
    const stampFile = join(root, "dist", `.${stampName(name, architecture)}.stamp`);
    if (existsSync(target) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
      continue;
    }
    if (name === "svc-wrapper") await buildEngineWrapper({ architecture, target }, steps);
    else {
      await steps.run(`build ${programsFolder(architecture)}/${name}`, () => {
        const path = hardenedRuntime(runtimeOf(architecture));
        compileProgram(programs[name], target, { path, architecture: architecture.name });
      });
    }
    writeFileSync(stampFile, stamp);
  }
}

/** Changes with all that goes into a program: sources, locked dependencies, the runtime. */
function stampOf(name: ProgramName): string {
  const files = name === "svc-wrapper" ? [...sources, ...engineSources] : sources;
  return keyOf({ words: [Bun.version], files, root });
}

function stampName(program: string, { name }: Architecture): string {
  return name === process.arch ? program : `${program}-${name}`;
}

function runtimeOf(architecture: Architecture): string {
  if (architecture.name === process.arch) return process.execPath;
  mkdirSync(cacheFolder(), { recursive: true });
  return foreignRuntime(architecture, cacheFolder());
}

function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "svc");
}

/** A Bun executable, which may be that of another machine. */
export interface Runtime {
  readonly path: string;
  /** process.arch of the machine that it runs on. */
  readonly architecture: string;
}

/** Compiles one program, by its entry point in this repository, onto a runtime. */
export function compileProgram(entry: string, target: string, runtime: Runtime): void {
  // Built beside the target and renamed: a program that runs from it keeps its own inode.
  const { path, architecture } = runtime;
  const fresh = `${target}.new`;
  const { exitCode, stderr } = Bun.spawnSync({
    cmd: [
      ...[process.execPath, "build", "--compile", `--compile-executable-path=${path}`],
      // The bundler writes process.arch into the code as a constant: the target's, not this
      // machine's.
      ...[`--target=bun-linux-${architecture}`, "--minify", "--sourcemap=none"],
      ...["dotenv", "bunfig", "tsconfig", "package-json"].map((x) => `--no-compile-autoload-${x}`),
      ...[join(root, entry), "--outfile", fresh],
    ],
    cwd: root,
  });
  if (exitCode !== 0) throw new Error(`compile ${entry}: ${stderr.toString()}`);
  renameSync(fresh, target);
}

/** The hardened copy of a Bun executable, kept in the cache by content. */
export function hardenedRuntime(base: string): string {
  const bytes = new Uint8Array(readFileSync(base));
  const recipe = readFileSync(join(root, "scripts/build/harden-runtime.ts"));
  const hash = createHash("sha256").update(bytes).update(recipe).digest("hex").slice(0, 16);
  const path = join(cacheFolder(), `bun-hardened-${hash}`, "bun");
  if (existsSync(path)) return path;
  hardenRuntime(bytes);
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, bytes);
  chmodSync(fresh, 0o755);
  renameSync(fresh, path);
  rmSync(fresh, { force: true });
  return path;
}
