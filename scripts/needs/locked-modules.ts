import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { cacheFolder } from "@svc/testing";

/**
 * Installs the packages that a folder locks by hash into the cache, without install scripts.
 *
 * @param manifest the folder with package.json and bun.lock
 * @returns the path of node_modules
 */
export function lockedModules(manifest: string): string {
  const hash = createHash("sha256")
    .update(readFileSync(join(manifest, "bun.lock")))
    .digest("hex");
  const name = `modules-${basename(manifest)}-${hash.slice(0, 16)}`;
  const folder = join(cacheFolder(process.env), name);
  const complete = join(folder, "complete");
  if (!existsSync(complete)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "bun.lock"]) {
      copyFileSync(join(manifest, file), join(folder, file));
    }
    const command = [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"];
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder });
    if (exitCode !== 0) throw new Error(`install ${name}: ${stderr.toString().trim()}`);
    writeFileSync(complete, "");
  }
  return join(folder, "node_modules");
}
