import { chmodSync, copyFileSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Architecture, ownArchitecture } from "../build/bundle/architecture.ts";
import { Steps } from "../results/steps.ts";
import { buildDemoEngine, buildEngine, buildQuickEngine, type Engine } from "./build-engine.ts";
import { buildPack } from "./pack.ts";
import { putImage, putModules, putSum } from "./payload.ts";

// Builds the wrapper into dist/engine: `bun scripts/engine/build-wrapper.ts [--quick]`. With
// --quick an engine whose sources have changed is compiled in seconds, and errors have their
// names and lines; that wrapper is slower. scripts/build.ts builds the one that users run.

const root = resolve(import.meta.dir, "../..");

/** A wrapper to build. */
export interface WrapperRequest {
  /**
   * By default as users run it. Both others take users' engine if the cache has it. Otherwise `demo`
   * compiles one without optimisation, which the cache keeps. `quick` is for sources that change
   * again and again: the cache keeps no engine, and errors keep names and lines.
   */
  readonly kind?: "demo" | "quick";
  readonly architecture: Architecture;
  /** The place that it is put into; a wrapper that runs from there keeps its own file. */
  readonly target: string;
}

/** Puts the wrapper's compiled TypeScript into the executable of the engine. */
export async function buildEngineWrapper(wanted: WrapperRequest, steps: Steps): Promise<void> {
  const { kind, architecture, target } = wanted;
  const isQuick = kind === "quick";
  const engine = await engineOf(wanted, steps);
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

function engineOf({ kind, architecture }: WrapperRequest, steps: Steps): Promise<Engine> {
  if (kind === "demo") return buildDemoEngine(steps);
  if (kind === "quick") return buildQuickEngine(join(root, "dist/engine/host"), steps);
  return buildEngine(architecture, steps);
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
  const request = { architecture: ownArchitecture(), target };
  await buildEngineWrapper(isQuick ? { ...request, kind: "quick" } : request, steps);
}
