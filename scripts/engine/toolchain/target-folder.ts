import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { resultsFolder } from "../../results/results.ts";
import { machineCompilers } from "./found-cargo.ts";
import { packagesPath } from "./pinned-packages.ts";

const engine = resolve(import.meta.dir, "../../../engine");

/** The file in a folder of results that names the checkout which used it last. */
const OWNER = "checkout";

/** Older folders of the same compilers are removed. */
const KEPT_FOLDERS = 2;

/**
 * The folder among the results of builds for compiled crates. Crates of others are compiled once
 * for all checkouts that want the same versions by the same compilers.
 */
export function targetFolder(isPinned: boolean): string {
  const compilers = isPinned ? readFileSync(packagesPath, "utf8") : (machineCompilers() ?? "");
  const lock = readFileSync(join(engine, "Cargo.lock"));
  const hash = createHash("sha256").update(compilers).update(lock).digest("hex").slice(0, 16);
  return join(resultsFolder(), `engine-crates-${isPinned ? "pinned" : "machine"}-${hash}`);
}

/**
 * Prepares a folder of compiled crates for a checkout, under its lock. Cargo tells by their times
 * whether sources have changed. It does not know that they are those of another checkout now: then
 * our own crates are compiled again. So they are for `fresh`, if the times must not count.
 */
export function enterTargetFolder(folder: string, checkout: string, fresh: boolean): void {
  const owner = join(folder, OWNER);
  const isOurs = existsSync(owner) && readFileSync(owner, "utf8") === checkout;
  if (isOurs && !fresh) return;
  // `svc-host-0123456789abcdef` in each profile of each target.
  const pattern = new Bun.Glob("**/.fingerprint/svc-*/*");
  for (const path of pattern.scanSync({ cwd: folder, dot: true })) rmSync(join(folder, path));
  writeFileSync(owner, checkout);
  removeOld(folder);
}

function removeOld(folder: string): void {
  const [kind = ""] = /^.*-(?=[0-9a-f]{16}$)/.exec(folder) ?? [];
  const parent = resolve(folder, "..");
  const used = (name: string) => statSync(join(parent, name, OWNER)).mtimeMs;
  const folders = readdirSync(parent)
    .filter((name) => join(parent, name).startsWith(kind) && /-[0-9a-f]{16}$/.test(name))
    .filter((name) => existsSync(join(parent, name, OWNER)))
    .toSorted((one, other) => used(other) - used(one));
  for (const name of folders.slice(KEPT_FOLDERS)) {
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}
