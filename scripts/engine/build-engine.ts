import { join, resolve } from "node:path";
import { run } from "./run.ts";

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

/**
 * The executable needs no loader. There the crate getrandom finds no getrandom(2) by its name
 * and opens /dev/urandom: without a free descriptor a look-up of a name ended the process.
 */
const rustFlags = '-C target-feature=+crt-static --cfg getrandom_backend="linux_getrandom"';

/** Compiles the programs that build and test the wrapper's engine; nothing where they are current. */
export function buildEngineTools(): EngineTools {
  const folder = join(TARGET_FOLDER, OWN_TARGET, "quick");
  cargo(["build", "--profile", "quick", "--bin", "svc-engine-compiler", "--bin", "svc-engine-run"]);
  return {
    compiler: join(folder, "svc-engine-compiler"),
    runner: join(folder, "svc-engine-run"),
  };
}

/** A wrapper around its modules. */
export interface EngineWish {
  readonly profile: Profile;
  /** The modules, as `buildPack` made them. */
  readonly pack: string;
  readonly architecture: "x64" | "arm64";
}

/**
 * Compiles the wrapper's executable around its modules.
 *
 * @returns where it is.
 */
export function buildWrapper({ profile, pack, architecture }: EngineWish): string {
  const target = targets[architecture] ?? "";
  const more = { environment: { SVC_ENGINE_PACK: pack }, target };
  cargo(["build", "--profile", profile, "--bin", "svc-wrapper"], more);
  return join(TARGET_FOLDER, target, profile, "svc-wrapper");
}

/** What a command of cargo's runs with. */
export interface CargoOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Rust's name of the machine to compile for; this one unless told. */
  readonly target?: string;
  /** The words for the program that cargo runs, behind `--`. */
  readonly own?: readonly string[];
}

/**
 * Runs a command of cargo's on engine/, quietly.
 *
 * @throws Error where it fails.
 */
export function cargo(
  [command = "", ...words]: readonly string[],
  { environment = {}, target = OWN_TARGET, own = [] }: CargoOptions = {},
): void {
  const manifest = ["--manifest-path", join(root, "engine/Cargo.toml")];
  // It compiles nothing.
  const compiles = command === "fmt" ? [] : ["--locked", "--quiet", "--target", target];
  const behind = own.length > 0 ? ["--", ...own] : [];
  run(["cargo", command, ...manifest, ...compiles, ...words, ...behind], {
    CARGO_TARGET_DIR: TARGET_FOLDER,
    RUSTFLAGS: rustFlags,
    ...environment,
  });
}
