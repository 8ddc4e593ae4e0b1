import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { cargo } from "./build-engine.ts";

// Formats, lints and tests engine/: `bun scripts/engine/check-engine.ts`.

const root = resolve(import.meta.dir, "../..");

/** @throws Error where something is wrong; ends the process where there is no cargo. */
export function checkEngine(): void {
  if (Bun.which("cargo") === null) {
    process.stderr.write("check-engine: find cargo: it is not on PATH\n");
    process.stderr.write("hint: install Rust 1.87 or later with clippy and rustfmt: rustup.rs\n");
    process.exit(1);
  }
  const pack = { SVC_ENGINE_PACK: emptyPack() };
  cargo(["fmt", "--all", "--check"]);
  cargo(["clippy", "--all-targets"], pack, ["-D", "warnings"]);
  cargo(["test"], pack);
}

/** The wrapper's executable is linted, and not run: it needs no modules. */
function emptyPack(): string {
  const folder = join(root, "dist/engine-check");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "modules.pack");
  writeFileSync(path, "");
  return path;
}

if (import.meta.main) checkEngine();
