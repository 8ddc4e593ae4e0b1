/**
 * Builds the wrapper a second time, in another folder and without results of the cache, and
 * compares the bytes: `bun scripts/reproduce.ts [--again] [x64|arm64]...`, by default both. It takes
 * the last commit. Exits 1 if bytes differ.
 *
 * Two minutes for each, once: the cache keeps the proof that an engine of the same inputs has the
 * same bytes. Then only the other parts are built again. With --again all are.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder } from "../packages/testing/src/tools.ts";
import { type Architecture, architectures } from "./build/bundle/architecture.ts";
import { runTool } from "./build/bundle/run-tool.ts";
import { buildPreload } from "./build/preload.ts";
import { programsFolder } from "./build/programs-folder.ts";
import { build } from "./build.ts";
import { engineResults } from "./engine/build-engine.ts";
import { changed, copyResults, isProved, keepProof, type Proof } from "./reproduce/proof.ts";
import { keyOf } from "./results/results.ts";

const root = resolve(import.meta.dir, "..");

/** All that decides on how an engine is compiled, beside the inputs of its own key. */
const method = [
  ...["scripts/reproduce.ts", "scripts/reproduce/proof.ts", "scripts/results/results.ts"],
  ...["scripts/engine/build-engine.ts", "scripts/engine/toolchain/*.{ts,sh,json}"],
];

/** A checkout of the same commit, with a folder of results. */
interface Clone {
  readonly path: string;
  readonly results: string;
}

process.exit(await reproduce(process.argv.slice(2)));

async function reproduce(words: readonly string[]): Promise<number> {
  const names = words.filter((word) => word !== "--again");
  const wanted = architectures.filter(({ name }) => names.length === 0 || names.includes(name));
  if (names.some((name) => wanted.every((one) => one.name !== name))) {
    const usage = "usage: bun scripts/reproduce.ts [--again] [x64|arm64]...";
    process.stderr.write(`${usage}: got ${words.join(" ")}\n`);
    return 2;
  }
  using folder = temporaryFolder();
  const path = join(folder.path, "of another length", "clone");
  runTool(["git", "clone", "--quiet", "--no-local", root, path]);
  runTool([process.execPath, "install", "--frozen-lockfile"], path);
  let isSame = true;
  for (const architecture of wanted) {
    const clone = { path, results: join(folder.path, `results-${architecture.name}`) };
    isSame = (await hasSameBytes(architecture, clone, words.includes("--again"))) && isSame;
  }
  return isSame ? 0 : 1;
}

/** Builds the wrapper and the interposer here and in the clone, and says how each part fares. */
async function hasSameBytes(
  architecture: Architecture,
  clone: Clone,
  again: boolean,
): Promise<boolean> {
  const { debianName } = architecture;
  const say = (line: string) => void process.stdout.write(`${debianName}: ${line}\n`);
  await build(architecture, ["svc-wrapper"]);
  const proof = engineProof(architecture);
  const isKnown = !again && isProved(proof);
  if (isKnown) {
    copyResults(proof.results, clone.results);
    say("the engine: proved before, of these inputs");
  }
  buildIn(clone, architecture);
  const engine = changed(proof.results, clone.results);
  if (engine.length > 0) say(`the engine: other bytes of ${engine.join(", ")}, or other sources`);
  else if (!isKnown) {
    keepProof(proof);
    say("the engine: the same bytes from nothing");
  }
  const files = [
    join(root, programsFolder(architecture), "svc-wrapper"),
    buildPreload(root, architecture.name),
  ];
  const isSame = files.map((file) => {
    const name = file.slice(root.length + 1);
    const [ours, theirs] = [sha256(file), sha256(join(clone.path, name))];
    say(`${name}: ${ours} here, ${theirs} in the clone`);
    return ours === theirs;
  });
  return engine.length === 0 && !isSame.includes(false);
}

function engineProof(architecture: Architecture): Proof {
  return {
    name: `same-bytes-${architecture.name}`,
    results: engineResults(architecture),
    method: keyOf({ words: [process.arch], files: method, root }),
  };
}

function buildIn({ path, results }: Clone, { name }: Architecture): void {
  const code = `import { build } from "./scripts/build.ts";
    import { architectures } from "./scripts/build/bundle/architecture.ts";
    const own = architectures.filter(({ name }) => name === ${JSON.stringify(name)});
    for (const architecture of own) await build(architecture, ["svc-wrapper"]);`;
  runTool([process.execPath, "--eval", code], path, { ...process.env, SVC_RESULTS: results });
}

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
