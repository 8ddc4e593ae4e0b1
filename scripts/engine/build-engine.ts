import { join, resolve } from "node:path";
import { type CargoRun, runCargo } from "./toolchain/run-cargo.ts";

/** Programs of engine/, for this machine. */
export interface EngineTools {
  /** TypeScript's modules to bytecode. */
  readonly compiler: string;
  /** Runs bytecode from a file. */
  readonly runner: string;
}

const root = resolve(import.meta.dir, "../..");
// In the checkout: two checkouts that share one take each other's crates for their own.
const TARGET_FOLDER = join(root, "dist/engine-target");

/** How an executable is compiled: in seconds, or small and fast. */
export type Profile = "quick" | "release";

/** Rust's names of targets by the runtime's names of architectures. */
const targets: Readonly<Record<string, string>> = {
  x64: "x86_64-unknown-linux-gnu",
  arm64: "aarch64-unknown-linux-gnu",
};
const OWN_TARGET = targets[process.arch] ?? "";

/** Compiles the programs that build and test the wrapper's engine; nothing if they are current. */
export async function buildEngineTools(): Promise<EngineTools> {
  const words = ["--profile", "quick", "--bin", "svc-engine-compiler", "--bin", "svc-engine-run"];
  const folder = await cargo({ words: ["build", ...words] });
  const at = (name: string) => join(folder, OWN_TARGET, "quick", name);
  return { compiler: at("svc-engine-compiler"), runner: at("svc-engine-run") };
}

/** A wrapper around its modules. */
export interface EngineRequest {
  readonly profile: Profile;
  /** The modules, as `buildPack` made them. */
  readonly pack: string;
  readonly architecture: "x64" | "arm64";
}

/**
 * Compiles the wrapper's executable around its modules. The profile `release` takes the pinned
 * compilers, so that the same sources give the same bytes everywhere.
 *
 * @returns where it is.
 */
export async function buildWrapper({
  profile,
  pack,
  architecture,
}: EngineRequest): Promise<string> {
  const target = targets[architecture] ?? "";
  const words = ["build", "--profile", profile, "--bin", "svc-wrapper"];
  const isPinned = profile === "release";
  const folder = await cargo({ words, pack, target, isPinned });
  return join(folder, target, profile, "svc-wrapper");
}

/** A command of cargo's on engine/. */
export interface EngineRun extends Pick<CargoRun, "words" | "pack" | "own"> {
  /** Rust's name of the machine to compile for; by default this one. */
  readonly target?: string;
  /** Takes the pinned compilers also where there are others; by default false. */
  readonly isPinned?: boolean;
}

/**
 * Runs a command of cargo's on engine/, quietly.
 *
 * @returns the folder of the compiled files.
 * @throws Error if it fails.
 */
export async function cargo(run: EngineRun): Promise<string> {
  const { target = OWN_TARGET, isPinned = false, ...rest } = run;
  return runCargo({ ...rest, target, isPinned, targetFolder: TARGET_FOLDER });
}
