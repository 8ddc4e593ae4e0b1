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

const MANIFEST = join(root, "engine/Cargo.toml");
const CARGO_ENVIRONMENT = {
  CARGO_TARGET_DIR: TARGET_FOLDER,
  RUSTFLAGS: "-C target-feature=+crt-static",
};

/** Compiles the programs that build and test the wrapper's engine; nothing where they are current. */
export function buildEngineTools(): EngineTools {
  const folder = join(TARGET_FOLDER, TARGET, "quick");
  cargo(["--profile", "quick", "--bin", "svc-engine-compiler", "--bin", "svc-engine-run"]);
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
  cargo(["--profile", profile, "--bin", "svc-wrapper"], { SVC_ENGINE_PACK: pack });
  return join(TARGET_FOLDER, TARGET, profile, "svc-wrapper");
}

/** Runs the tests of the crates. The executable's own are in a build without its modules. */
export function testCrates(): void {
  const words = ["test", "--locked", "--quiet", "--workspace", "--lib", "--tests"];
  run(["cargo", ...words, "--target", TARGET, "--manifest-path", MANIFEST], CARGO_ENVIRONMENT);
}

function cargo(words: readonly string[], environment: Record<string, string> = {}): void {
  const build = ["cargo", "build", "--locked", "--quiet", "--target", TARGET, ...words];
  run([...build, "--manifest-path", MANIFEST], { ...CARGO_ENVIRONMENT, ...environment });
}
