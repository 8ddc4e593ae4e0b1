import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Architecture } from "../build/bundle/architecture.ts";
import { buildEngineTools, buildWrapper, type Profile } from "./build-engine.ts";
import { buildPack } from "./pack.ts";
import { putImage } from "./put-image.ts";

// Builds the wrapper into dist/engine: `bun scripts/engine/build-wrapper.ts [--quick]`. With
// --quick it links in seconds, and the wrapper is slower. scripts/build.ts builds the one that
// users run.

const root = resolve(import.meta.dir, "../..");

/** A wrapper to build. */
export interface WrapperRequest {
  readonly profile: Profile;
  readonly architecture: Architecture["name"];
  /** Where it is put; a wrapper that runs from there keeps its own file. */
  readonly target: string;
}

/** Compiles TypeScript and host into one executable. */
export async function buildEngineWrapper(wanted: WrapperRequest): Promise<void> {
  const { profile, architecture, target } = wanted;
  const { compiler } = await buildEngineTools();
  const folder = join(root, "dist/engine");
  const source = join(root, "packages/wrapper/src");
  const entry = join(source, "main.ts");
  const image = join(source, "image/image.ts");
  const pack = await buildPack({ entry, image, folder, compiler, debug: profile === "quick" });
  const built = await buildWrapper({ profile, pack, architecture });
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(built, `${target}.new`);
  // A pack with names for debugging is too large for the image: that wrapper starts without one.
  if (profile !== "quick") putImage(`${target}.new`, architecture);
  renameSync(`${target}.new`, target);
}

if (import.meta.main) {
  const profile = process.argv.includes("--quick") ? "quick" : "release";
  const target = "dist/engine/bin/svc-wrapper";
  const architecture = process.arch === "arm64" ? "arm64" : "x64";
  await buildEngineWrapper({ profile, architecture, target: join(root, target) });
  process.stdout.write(`built ${target}\n`);
}
