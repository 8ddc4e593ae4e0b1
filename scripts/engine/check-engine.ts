import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { cargo } from "./build-engine.ts";

// Checks the format of engine/, lints and tests it: `bun scripts/engine/check-engine.ts`. A
// toolchain without rustfmt or clippy leaves that part out, and the output says so.

const root = resolve(import.meta.dir, "../..");

/** @throws Error where something is wrong. */
async function checkEngine(): Promise<void> {
  const pack = emptyPack();
  if (has("fmt")) await cargo({ words: ["fmt", "--all", "--check"] });
  if (has("clippy")) {
    await cargo({ words: ["clippy", "--all-targets"], pack, own: ["-D", "warnings"] });
  }
  await cargo({ words: ["test"], pack });
}

function has(command: "fmt" | "clippy"): boolean {
  if (Bun.which("cargo") !== null) {
    const { exitCode } = Bun.spawnSync(["cargo", command, "--version"], { stderr: "ignore" });
    if (exitCode === 0) return true;
  }
  process.stdout.write(`engine: cargo ${command} is not installed: left out\n`);
  return false;
}

/** The wrapper's executable is linted, and not run: it needs no modules. */
function emptyPack(): string {
  const folder = join(root, "dist/engine-check");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "modules.pack");
  writeFileSync(path, "");
  return path;
}

await checkEngine();
