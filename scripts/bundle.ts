/**
 * Makes the wrapper's self-contained bundle in dist/bundle, for this machine's architecture or
 * another: `bun scripts/bundle.ts [x64|arm64]`. Another's is made in dist/bundle-ARCHITECTURE.
 */
import { join, resolve } from "node:path";
import { architectures } from "./build/bundle/architecture.ts";
import { makeBundle } from "./build/bundle.ts";
import { build } from "./build.ts";
import { ensureNeeds } from "./needs/ensure-needs.ts";
import { Steps } from "./results/steps.ts";

const root = resolve(import.meta.dir, "..");
const wanted = process.argv[2] ?? process.arch;
const architecture = architectures.find(({ name }) => name === wanted);
if (architecture === undefined) {
  const names = architectures.map(({ name }) => name).join("|");
  process.stderr.write(`usage: bun scripts/bundle.ts [${names}]: got "${wanted}"\n`);
  process.exit(2);
}
ensureNeeds("build");
const steps = new Steps((line) => void process.stdout.write(`${line}\n`));
await build(undefined, undefined, steps);
if (wanted !== process.arch) await build(architecture, ["svc-wrapper"], steps);
const folder = wanted === process.arch ? "dist/bundle" : `dist/bundle-${wanted}`;
const places = { root, target: join(root, folder) };
const made = await makeBundle(architecture, places, steps.say);
if (made === "written") steps.say(`the bundle is in ${folder}: ${steps.summary()}`);
