/**
 * Refuses imports and code that the layout forbids: `bun scripts/check-layout.ts`. Prints every
 * finding, exits 1.
 */
import { basename, join } from "node:path";
import { findings } from "./check-layout/findings.ts";
import type { SourceFile } from "./check-layout/source-file.ts";

const root = join(import.meta.dirname, "..");
const sources: SourceFile[] = [];
const folders = ["packages/*", "scripts", "e2e", "bench"];
for (const pattern of [...folders.map((folder) => `${folder}/**/*.ts`), "engine/*/src/**/*.rs"]) {
  for (const path of new Bun.Glob(pattern).scanSync(root)) {
    if (path.includes("node_modules") || path.includes("/generated/")) continue;
    sources.push({ path, name: basename(path), text: await Bun.file(join(root, path)).text() });
  }
}
const found = findings(sources);
for (const line of found) process.stderr.write(`${line}\n`);
process.exit(found.length === 0 ? 0 : 1);
