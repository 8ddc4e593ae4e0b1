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
import { buildEngineWrapper } from "./engine/build-wrapper.ts";

/** The entry points of the programs. The wrapper runs on the engine, all others on Bun. */
export const programs = {
  "svc-wrapper": "packages/wrapper/src/main.ts",
  svc: "packages/cli/src/main.ts",
  "svc-operator": "packages/operator/src/main.ts",
  "svc-agent": "packages/agent/src/main.ts",
} as const;

const root = resolve(import.meta.dir, "..");

/** All of the engine that goes into the wrapper. */
const engineSources = [
  ...["engine/Cargo.lock", "engine/**/Cargo.toml", "engine/*/build.rs", "engine/*/src/**/*"],
  ...["scripts/engine/*.ts", "scripts/engine/toolchain/*"],
];

if (import.meta.main) await build();

/** The name of a program. */
export type ProgramName = keyof typeof programs;

/** The folder of the programs for an architecture, from the root. */
export function programsFolder({ name }: Architecture): string {
  return name === process.arch ? "dist/bin" : `dist/bin-${name}`;
}

/**
 * Compiles programs for an architecture, by default all of them for this machine's. Skips those
 * whose sources have not changed.
 */
export async function build(
  architecture = ownArchitecture(),
  names = Object.keys(programs) as readonly ProgramName[],
): Promise<void> {
  buildPreload(root, architecture.name);
  const folder = join(root, programsFolder(architecture));
  mkdirSync(folder, { recursive: true });
  const stamps = { bun: await sourcesHash(), engine: await sourcesHash(engineSources) };
  for (const name of names) {
    const target = join(folder, name);
    const stamp = name === "svc-wrapper" ? stamps.engine : stamps.bun;
    const stampFile = join(root, "dist", `.${stampName(name, architecture)}.stamp`);
    if (existsSync(target) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
      continue;
    }
    if (name === "svc-wrapper") {
      const wanted = { profile: "release", architecture: architecture.name, target } as const;
      await buildEngineWrapper(wanted);
    } else {
      const path = hardenedRuntime(runtimeOf(architecture));
      compileProgram(programs[name], target, { path, architecture: architecture.name });
    }
    writeFileSync(stampFile, stamp);
    process.stdout.write(`built ${programsFolder(architecture)}/${name}\n`);
  }
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
  /** process.arch where it runs. */
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

/** Everything that goes into the programs: sources, locked dependencies, the runtime. */
async function sourcesHash(more: readonly string[] = []): Promise<string> {
  const hash = createHash("sha256").update(Bun.version);
  const patterns = [
    ...["packages/*/src/**/*.ts", "packages/*/package.json"],
    ...["scripts/build.ts", "scripts/build/*.ts", "bun.lock", ...more],
  ];
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  for (const file of files.sort()) {
    hash.update(file).update(await Bun.file(join(root, file)).bytes());
  }
  return hash.digest("hex");
}
