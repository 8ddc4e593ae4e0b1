import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";

/** Another apt-get may be at work, and hold the lock for as long as this. */
const LOCK_SECONDS = 600;

/**
 * Installs Debian packages, as root.
 *
 * @throws TypeError with the complaint of apt-get
 */
export function installPackages(names: readonly string[]): void {
  if (names.length === 0) return;
  run("update");
  run("install", "-y", "--no-install-recommends", ...names);
}

function run(...words: readonly string[]): void {
  const command = ["apt-get", "-o", `DPkg::Lock::Timeout=${LOCK_SECONDS}`, ...words];
  const cache = cacheFolder(process.env);
  mkdirSync(cache, { recursive: true });
  // An `update` does not wait for another one: so ours wait for each other, by flock(1).
  const inTurn = ["flock", `--timeout=${LOCK_SECONDS}`, join(cache, "apt-get.lock")];
  const { exitCode, stderr } = Bun.spawnSync([...inTurn, ...command], {
    // Debian would start the servers that it installs.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
  if (exitCode !== 0) throw new TypeError(`${command.join(" ")}: ${stderr.toString()}`);
}
