/**
 * Builds the wrapper a second time, in another folder and without results of the cache, and
 * compares the bytes: `bun scripts/reproduce.ts [x64|arm64]...`, by default both. It takes the last
 * commit; two minutes for each. Exits 1 if bytes differ.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder } from "../packages/testing/src/tools.ts";
import { architectures } from "./build/bundle/architecture.ts";
import { runTool } from "./build/bundle/run-tool.ts";
import { programsFolder } from "./build/programs-folder.ts";
import { build } from "./build.ts";

const root = resolve(import.meta.dir, "..");
const names = process.argv.slice(2);
const wanted = architectures.filter(({ name }) => names.length === 0 || names.includes(name));
if (wanted.length < names.length) {
  process.stderr.write(`usage: bun scripts/reproduce.ts [x64|arm64]...: got ${names.join(" ")}\n`);
  process.exit(2);
}
using folder = temporaryFolder();
const clone = join(folder.path, "of another length", "clone");
runTool(["git", "clone", "--quiet", "--no-local", root, clone]);
runTool([process.execPath, "install", "--frozen-lockfile"], clone);
let isSame = true;
for (const architecture of wanted) {
  const path = join(programsFolder(architecture), "svc-wrapper");
  await build(architecture, ["svc-wrapper"]);
  const code = `import { build } from "./scripts/build.ts";
    import { architectures } from "./scripts/build/bundle/architecture.ts";
    const own = architectures.filter(({ name }) => name === ${JSON.stringify(architecture.name)});
    for (const architecture of own) await build(architecture, ["svc-wrapper"]);`;
  const env = { ...process.env, SVC_RESULTS: join(folder.path, "results") };
  runTool([process.execPath, "--eval", code], clone, env);
  const [ours, theirs] = [root, clone].map((checkout) => sha256(join(checkout, path)));
  isSame &&= ours === theirs;
  process.stdout.write(`${architecture.debianName}: ${ours} here, ${theirs} in the clone\n`);
}
process.exit(isSame ? 0 : 1);

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
