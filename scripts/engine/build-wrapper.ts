import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { buildEngineTools, buildWrapper } from "./build-engine.ts";
import { buildPack } from "./pack.ts";

// Builds the wrapper on the small engine: `bun scripts/engine/build-wrapper.ts [--quick]`.

const root = resolve(import.meta.dir, "../..");

/** Where the wrapper on the engine is, from the root. */
export const engineWrapper = "dist/engine/bin/svc-wrapper";

/** Compiles TypeScript and host into one executable. `quick` links in seconds, for tests. */
export async function buildEngineWrapper(profile: "quick" | "release"): Promise<void> {
  const { compiler } = buildEngineTools();
  const folder = join(root, "dist/engine");
  const entry = join(root, "packages/wrapper/src/main.ts");
  const pack = await buildPack({ entry, folder, compiler, debug: profile === "quick" });
  const target = join(root, engineWrapper);
  mkdirSync(dirname(target), { recursive: true });
  // Renamed: the one before may be running.
  copyFileSync(buildWrapper(profile, pack), `${target}.new`);
  renameSync(`${target}.new`, target);
  process.stdout.write(`built ${engineWrapper}\n`);
}

if (import.meta.main) {
  await buildEngineWrapper(process.argv.includes("--quick") ? "quick" : "release");
}
