import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { type Mutant, mutated } from "./mutant.ts";

/** Loads a file with a change; for Bun itself, or for a bundle. */
export function mutantPlugin(root: string, mutant: Mutant): BunPlugin {
  const path = join(root, mutant.path);
  const contents = mutated(readFileSync(path, "utf8"), mutant);
  return {
    name: "mutant",
    setup(build) {
      build.onLoad({ filter: new RegExp(`^${RegExp.escape(path)}$`) }, () => ({
        contents,
        loader: "ts",
      }));
    },
  };
}
