import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Architecture } from "./architecture.ts";
import { runTool } from "./run-tool.ts";

/** The path of the Bun executable for another architecture, in the cache; fetched once. */
export function foreignRuntime(architecture: Architecture, cacheFolder: string): string {
  const { name, runtimePackage, runtimeSha256 } = architecture;
  const folder = join(cacheFolder, `bun-${Bun.version}-${name}`);
  const path = join(folder, "bun");
  if (existsSync(path)) return path;
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, "package.json"), "{}");
  // No install scripts: the executable is taken as it was published.
  const flags = ["--silent", "--ignore-scripts", `--cpu=${name}`, "--os=linux"];
  runTool([process.execPath, "add", ...flags, `${runtimePackage}@${Bun.version}`], fresh);
  const found = join(fresh, "node_modules", runtimePackage, "bin/bun");
  const sha256 = createHash("sha256").update(readFileSync(found)).digest("hex");
  if (sha256 !== runtimeSha256) throw new Error(`fetch ${runtimePackage}: sha256 is ${sha256}`);
  mkdirSync(folder, { recursive: true });
  renameSync(found, path);
  rmSync(fresh, { recursive: true });
  return path;
}
