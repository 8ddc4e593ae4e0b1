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
const TARGET = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-gnu`;

/**
 * The executable needs no loader. There the crate getrandom finds no getrandom(2) by its name
 * and opens /dev/urandom: without a free descriptor a look-up of a name ended the process.
 */
const rustFlags = '-C target-feature=+crt-static --cfg getrandom_backend="linux_getrandom"';

/** Compiles the programs that build and test the wrapper's engine; nothing where they are current. */
export function buildEngineTools(): EngineTools {
  const folder = join(TARGET_FOLDER, TARGET, "quick");
  cargo(["build", "--profile", "quick", "--bin", "svc-engine-compiler", "--bin", "svc-engine-run"]);
  return {
    compiler: join(folder, "svc-engine-compiler"),
    runner: join(folder, "svc-engine-run"),
  };
}

/**
 * Compiles the wrapper's executable around its modules.
 *
 * @returns where it is.
 */
export function buildWrapper(profile: "quick" | "release", pack: string): string {
  cargo(["build", "--profile", profile, "--bin", "svc-wrapper"], { SVC_ENGINE_PACK: pack });
  return join(TARGET_FOLDER, TARGET, profile, "svc-wrapper");
}

/**
 * Runs a command of cargo's on engine/, for this machine, quietly.
 *
 * @param own the words for the program that cargo runs, behind `--`.
 * @throws Error where it fails.
 */
export function cargo(
  [command = "", ...words]: readonly string[],
  environment: Record<string, string> = {},
  own: readonly string[] = [],
): void {
  const manifest = ["--manifest-path", join(root, "engine/Cargo.toml")];
  // It compiles nothing.
  const compiles = command === "fmt" ? [] : ["--locked", "--quiet", "--target", TARGET];
  const behind = own.length > 0 ? ["--", ...own] : [];
  run(["cargo", command, ...manifest, ...compiles, ...words, ...behind], {
    CARGO_TARGET_DIR: TARGET_FOLDER,
    RUSTFLAGS: rustFlags,
    ...environment,
  });
}
