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

/** The programs, their entry points, and what is particular about how they are compiled. */
export const programs = {
  // Bytecode saves the parsing; a compiler thread only after the first statements, so that what
  // they do to the signal mask holds for every thread.
  "svc-wrapper": {
    entry: "packages/wrapper/src/main.ts",
    flags: ["--bytecode", "--compile-jit-policy=100"],
  },
  svc: { entry: "packages/cli/src/main.ts", flags: [] },
  "svc-operator": { entry: "packages/operator/src/main.ts", flags: [] },
  "svc-agent": { entry: "packages/agent/src/main.ts", flags: [] },
} as const;

const root = resolve(import.meta.dir, "..");

if (import.meta.main) await build();

/** The name of a program. */
export type ProgramName = keyof typeof programs;

/** The folder of the programs for an architecture, from the root. */
export function programsFolder({ name }: Architecture): string {
  return name === process.arch ? "dist/bin" : `dist/bin-${name}`;
}

/**
 * Compiles programs for an architecture, all of them for this machine's unless told; does nothing
 * for those whose sources have not changed.
 */
export async function build(
  architecture = ownArchitecture(),
  names = Object.keys(programs) as readonly ProgramName[],
): Promise<void> {
  buildPreload(root, architecture.name);
  const folder = join(root, programsFolder(architecture));
  mkdirSync(folder, { recursive: true });
  const stamp = await sourcesHash();
  for (const name of names) {
    const target = join(folder, name);
    const stampFile = join(root, "dist", `.${stampName(name, architecture)}.stamp`);
    if (existsSync(target) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
      continue;
    }
    const path = hardenedRuntime(runtimeOf(architecture));
    compileProgram(programs[name], target, { path, architecture: architecture.name });
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

/** A program's entry point in this repository, and the flags of its own. */
export interface Program {
  readonly entry: string;
  readonly flags: readonly string[];
}

/** A Bun executable, which may be that of another machine. */
export interface Runtime {
  readonly path: string;
  /** process.arch where it runs. */
  readonly architecture: string;
}

/** Compiles one program onto a runtime. */
export function compileProgram(program: Program, target: string, runtime: Runtime): void {
  // Built beside the target and renamed: a program that runs from it keeps its own inode.
  const { entry, flags } = program;
  const { path, architecture } = runtime;
  const fresh = `${target}.new`;
  const { exitCode, stderr } = Bun.spawnSync({
    cmd: [
      ...[process.execPath, "build", "--compile", `--compile-executable-path=${path}`],
      // The bundler writes process.arch into the code as a constant: the target's, not this machine's.
      ...[`--target=bun-linux-${architecture}`, "--minify", "--sourcemap=none", ...flags],
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
async function sourcesHash(): Promise<string> {
  const hash = createHash("sha256").update(Bun.version);
  const patterns = [
    ...["packages/*/src/**/*.ts", "packages/*/package.json"],
    ...["scripts/build.ts", "scripts/build/*.ts", "bun.lock"],
  ];
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  for (const file of files.sort()) {
    hash.update(file).update(await Bun.file(join(root, file)).bytes());
  }
  return hash.digest("hex");
}
