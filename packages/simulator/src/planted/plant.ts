import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { BunPlugin } from "bun";
import type { PlantedFault } from "./planted-fault.ts";

const packages = resolve(import.meta.dir, "../../..");

/** Puts a fault into a file while it is bundled; the file stays as it is. */
export function plant({ file, from, to }: PlantedFault): BunPlugin {
  const path = resolve(packages, file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} must have this text once: ${from}`);
  return {
    name: "planted fault",
    setup(build) {
      build.onLoad({ filter: new RegExp(`${RegExp.escape(file)}$`) }, () => ({
        contents: text.replace(from, () => to),
        loader: "ts",
      }));
    },
  };
}
