import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Architecture, ownArchitecture } from "../build/bundle/architecture.ts";
import { findResult, keyOf, longResult, type Result, result } from "../results/results.ts";
import type { Say, Steps } from "../results/steps.ts";
import { machineCompilers } from "./toolchain/found-cargo.ts";
import { packagesPath } from "./toolchain/pinned-packages.ts";
import { type CargoRun, cargo, rustFlags } from "./toolchain/run-cargo.ts";

/** Compiled parts of engine/. */
export interface Engine {
  /** The wrapper's executable without modules. */
  readonly host: string;
  /** Compiles TypeScript's modules to bytecode, on this machine. */
  readonly compiler: string;
}

/** Executables of engine/ that are compiled together. */
interface Compilation {
  readonly programs: readonly string[];
  readonly architecture: Architecture;
  /**
   * As users get them, by the pinned compilers; or faster, with debug assertions: for tests, or
   * without optimisation for a demonstration.
   */
  readonly profile: "release" | "dev" | "demo";
}

const root = resolve(import.meta.dir, "../..");

const HOST = "svc-wrapper";
const COMPILER = "svc-engine-compiler";
const RUNNER = "svc-engine-run";

const manifests = ["engine/Cargo.lock", "engine/**/Cargo.toml", "engine/*/build.rs"];
/** The files that each program is made of. */
const sources: Readonly<Record<string, readonly string[]>> = {
  [HOST]: [...manifests, "engine/{host,network,secrets}/src/**/*"],
  [RUNNER]: [...manifests, "engine/{host,network,secrets}/src/**/*"],
  [COMPILER]: [...manifests, "engine/compiler/src/**/*"],
};

/** For a machine of two cores, from empty caches. */
const aboutSeconds = { release: 270, dev: 220, demo: 170 } as const;

/**
 * The engine as users get it. The pinned compilers make it, so that the same sources give the same
 * bytes everywhere.
 */
export async function buildEngine(architecture: Architecture, steps: Steps): Promise<Engine> {
  const own = ownArchitecture();
  const ownCompiler = compilerBy("release");
  // In one run if both are missing: they share most crates.
  const both = architecture.name === own.name && findResult(resultOf(ownCompiler)) === undefined;
  const programs = both ? [HOST, COMPILER] : [HOST];
  const host = await build({ programs, architecture, profile: "release" }, steps);
  return { host, compiler: await build(ownCompiler, steps) };
}

/** The results of `buildEngine`, as the cache keeps them. */
export function engineResults(architecture: Architecture): readonly Result[] {
  const host = { programs: [HOST], architecture, profile: "release" } as const;
  return [resultOf(host), resultOf(compilerBy("release"))];
}

/**
 * An engine for this machine: as users get it if the cache has that of these sources, else one that
 * compiles in half the time.
 */
export async function buildDemoEngine(steps: Steps): Promise<Engine> {
  const users = usersEngine();
  if (users !== undefined) return users;
  const architecture = ownArchitecture();
  // In one run: they share crates.
  const host = await build({ programs: [HOST, COMPILER], architecture, profile: "demo" }, steps);
  return { host, compiler: await build(compilerBy("demo"), steps) };
}

/**
 * The same for sources that change again and again. The cache does not keep that one.
 *
 * @param folder where it is put then.
 */
export async function buildQuickEngine(folder: string, steps: Steps): Promise<Engine> {
  const users = usersEngine();
  if (users !== undefined) return users;
  const wanted = { programs: [HOST], architecture: ownArchitecture(), profile: "dev" } as const;
  mkdirSync(folder, { recursive: true });
  await steps.run(nameOf(wanted), () => compile(wanted, folder, steps.say));
  return { host: join(folder, HOST), compiler: await anyCompiler(steps) };
}

/** The compiler of bytecode, and the program that runs bytecode from a file, for tests. */
export async function buildTestEngine(steps: Steps): Promise<Engine> {
  const architecture = ownArchitecture();
  const host = await build({ programs: [RUNNER], architecture, profile: "dev" }, steps);
  return { host, compiler: await anyCompiler(steps) };
}

/** The engine as users get it; undefined if the cache does not have that of these sources. */
function usersEngine(): Engine | undefined {
  const [host, compiler] = [usersProgram(HOST), usersProgram(COMPILER)];
  return host !== undefined && compiler !== undefined ? { host, compiler } : undefined;
}

function usersProgram(program: string): string | undefined {
  const wanted = {
    programs: [program],
    architecture: ownArchitecture(),
    profile: "release",
  } as const;
  const folder = findResult(resultOf(wanted));
  return folder && join(folder, program);
}

/** Its bytecode is the same by each profile: users' compiler if the cache has it. */
async function anyCompiler(steps: Steps): Promise<string> {
  return usersProgram(COMPILER) ?? (await build(compilerBy("dev"), steps));
}

function compilerBy(profile: Compilation["profile"]): Compilation {
  return { programs: [COMPILER], architecture: ownArchitecture(), profile };
}

/** Compiles programs, unless the cache has the first one, and gives the first one's path. */
async function build(wanted: Compilation, steps: Steps): Promise<string> {
  const [program = ""] = wanted.programs;
  const name = nameOf(wanted);
  const say = (line: string) => steps.say(`${name}: ${line}`);
  const folder = await longResult(
    resultOf(wanted),
    (into) =>
      steps.run(name, () => compileResult(wanted, into, say), {
        aboutSeconds: aboutSeconds[wanted.profile],
      }),
    say,
  );
  return join(folder, program);
}

function nameOf({ programs, architecture }: Compilation): string {
  return `compile ${programs.join(" and ")} for ${architecture.name}`;
}

/** The result that has the first program alone. */
function resultOf({ programs, architecture, profile }: Compilation): Result {
  const [program = ""] = programs;
  const found = profile === "release" ? undefined : machineCompilers();
  const compilers = found ?? readFileSync(packagesPath, "utf8");
  const words = [compilers, rustFlags, profile, architecture.rustTarget];
  const key = keyOf({ words, files: sources[program] ?? [], root });
  return { name: `${program}-${profile}-${architecture.name}`, key };
}

/** @throws Error if sources have changed meanwhile: nothing is kept then. */
async function compileResult(wanted: Compilation, folder: string, say: Say): Promise<void> {
  const { programs } = wanted;
  const { key } = resultOf(wanted);
  await compile(wanted, folder, say, { fresh: true });
  if (resultOf(wanted).key !== key) {
    throw new Error(`${nameOf(wanted)}: files of engine/ have changed meanwhile: run it again`);
  }
  // Each program is a result by its own inputs.
  for (const name of programs.slice(1)) {
    const path = join(folder, name);
    const other = resultOf({ ...wanted, programs: [name] });
    result(other, (into) => copyFileSync(path, join(into, name)));
    rmSync(path);
  }
}

async function compile(
  { programs, architecture, profile }: Compilation,
  folder: string,
  say: Say,
  more: Pick<CargoRun, "fresh"> = {},
): Promise<void> {
  const target = architecture.rustTarget;
  const bins = programs.flatMap((name) => ["--bin", name]);
  const words = ["build", "--profile", profile, ...bins];
  const run = { ...more, words, target, isPinned: profile === "release", say };
  await cargo(run, (results) => {
    const built = join(results.folder, target, profile === "dev" ? "debug" : profile);
    for (const name of programs) copyFileSync(join(built, name), join(folder, name));
  });
}
