import { chmodSync, copyFileSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Architecture, ownArchitecture } from "../build/bundle/architecture.ts";
import { Steps } from "../results/steps.ts";
import { buildEngine, buildQuickEngine } from "./build-engine.ts";
import { buildPack } from "./pack.ts";
import { putImage, putModules, putSum } from "./payload.ts";

// Builds the wrapper into dist/engine: `bun scripts/engine/build-wrapper.ts [--quick]`. With
// --quick an engine whose sources have changed is compiled in seconds, and errors have their
// names and lines; that wrapper is slower. scripts/build.ts builds the one that users run.

const root = resolve(import.meta.dir, "../..");

/** A wrapper to build. */
export interface WrapperRequest {
  /** Compiles fast, and keeps names and lines of errors; by default false. */
  readonly isQuick?: boolean;
  readonly architecture: Architecture;
  /** The place that it is put into; a wrapper that runs from there keeps its own file. */
  readonly target: string;
}

/** Puts the wrapper's compiled TypeScript into the executable of the engine. */
export async function buildEngineWrapper(wanted: WrapperRequest, steps: Steps): Promise<void> {
  const { isQuick = false, architecture, target } = wanted;
  const engine = isQuick
    ? await buildQuickEngine(join(root, "dist/engine/host"), steps)
    : await buildEngine(architecture, steps);
  await steps.run(`build ${relative(root, target)}`, async () => {
    const pack = await packModules(engine.compiler, isQuick);
    mkdirSync(dirname(target), { recursive: true });
    const fresh = `${target}.new`;
    copyFileSync(engine.host, fresh);
    chmodSync(fresh, 0o755);
    putModules(fresh, pack);
    // Modules with names for debugging leave no room for it: that wrapper starts without one.
    if (!isQuick) putImage(fresh, architecture.name);
    putSum(fresh);
    renameSync(fresh, target);
  });
}

/** The wrapper's modules as bytecode. */
function packModules(compiler: string, debug: boolean): Promise<string> {
  const source = join(root, "packages/wrapper/src");
  const entry = join(source, "main.ts");
  const image = join(source, "image/image.ts");
  return buildPack({ entry, image, folder: join(root, "dist/engine"), compiler, debug });
}

if (import.meta.main) {
  const isQuick = process.argv.includes("--quick");
  const target = join(root, "dist/engine/bin/svc-wrapper");
  const steps = new Steps((line) => void process.stdout.write(`${line}\n`));
  await buildEngineWrapper({ isQuick, architecture: ownArchitecture(), target }, steps);
}
