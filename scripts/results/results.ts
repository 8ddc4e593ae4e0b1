import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../packages/testing/src/tools.ts";
import { withLock } from "./with-lock.ts";

/**
 * Files that the same inputs always give, byte for byte. The cache keeps them for all checkouts.
 * docs/decisions/0093-build-results.md has the reasons.
 */
export interface Result {
  /** The name of the folder, for people: `engine-x64`. */
  readonly name: string;
  /** Hexadecimal SHA-256 of all inputs: sources, compilers, flags. See `keyOf`. */
  readonly key: string;
  /** The number of results of this name that stay, by default six. */
  readonly kept?: number;
}

/** The inputs of a result. */
export interface Inputs {
  /** Compilers with their versions, flags, and all else that decides on the bytes. */
  readonly words: readonly string[];
  /** The files, as patterns of Bun.Glob below `root`. Their paths below it are inputs, too. */
  readonly files: readonly string[];
  readonly root: string;
}

/** Older results of one name are removed. Checkouts of several branches share the cache. */
const KEPT_RESULTS = 6;

/** Work that was not touched for this long belongs to a build that was killed. */
const ABANDONED_MS = 24 * 3600 * 1000;

/** The list of the sums of a result's files, beside them. */
export const SUMS = "SHA256SUMS";

/** The key of a result by its inputs. */
export function keyOf({ words, files, root }: Inputs): string {
  const hash = createHash("sha256").update(JSON.stringify(words));
  const paths = files.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })]);
  for (const path of [...new Set(paths)].sort()) {
    const bytes = readFileSync(join(root, path));
    hash.update(JSON.stringify([path, bytes.length])).update(bytes);
  }
  return hash.digest("hex");
}

/**
 * The folder with results: `SVC_RESULTS` names another one, for a build that takes nothing from
 * the cache.
 */
export function resultsFolder(): string {
  return process.env["SVC_RESULTS"] || join(cacheFolder(process.env), "results");
}

/**
 * The folder of a result, which `make` fills if the cache has none. Two checkouts at once are safe:
 * each works in a folder with its own name, and the rename of the first one wins.
 *
 * @throws the error of `make`; nothing is kept then.
 */
export function result(wanted: Result, make: (folder: string) => void): string {
  const found = findResult(wanted);
  if (found !== undefined) return found;
  const work = workFolder(wanted);
  try {
    make(work);
    return keep(wanted, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * As `result`, for work of minutes: of several checkouts one works, and the others wait for its
 * result.
 *
 * @param say gets a line if this checkout waits.
 */
export async function longResult(
  wanted: Result,
  make: (folder: string) => Promise<void>,
  say: (line: string) => void,
): Promise<string> {
  const found = findResult(wanted);
  if (found !== undefined) return found;
  mkdirSync(resultsFolder(), { recursive: true });
  const waits = () => say(`another build makes ${wanted.name}: waiting for it`);
  return withLock(`${resultFolder(wanted)}.lock`, waits, async () => {
    const made = findResult(wanted);
    if (made !== undefined) return made;
    const work = workFolder(wanted);
    try {
      await make(work);
      return keep(wanted, work);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}

/** The folder of a result that the cache has. One whose files have changed is removed. */
export function findResult(wanted: Result): string | undefined {
  const folder = resultFolder(wanted);
  if (!existsSync(folder)) return undefined;
  if (!isWhole(folder)) {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  const now = new Date();
  utimesSync(folder, now, now);
  return folder;
}

/** The place of a result, which may be missing; by default in the cache. */
export function resultFolder({ name, key }: Result, store = resultsFolder()): string {
  return join(store, `${name}-${key.slice(0, 16)}`);
}

function workFolder(wanted: Result): string {
  mkdirSync(resultsFolder(), { recursive: true });
  return mkdtempSync(`${resultFolder(wanted)}.part-`);
}

function keep(wanted: Result, work: string): string {
  const folder = resultFolder(wanted);
  const names = readdirSync(work).sort();
  writeFileSync(join(work, SUMS), names.map((name) => sumOf(work, name)).join(""));
  try {
    renameSync(work, folder);
  } catch (error) {
    // Another checkout was faster. A folder does not replace one that has files.
    if (!existsSync(folder)) throw error;
  }
  removeOld(wanted);
  return folder;
}

/** As sha256sum(1) writes and checks it. */
function sumOf(folder: string, name: string): string {
  const digest = createHash("sha256")
    .update(readFileSync(join(folder, name)))
    .digest("hex");
  return `${digest}  ${name}\n`;
}

function isWhole(folder: string): boolean {
  try {
    const lines = readFileSync(join(folder, SUMS), "utf8").split(/(?<=\n)/);
    return lines.length > 0 && lines.every((line) => line === sumOf(folder, line.trim().slice(66)));
  } catch {
    return false;
  }
}

/** The results that were used last stay. */
function removeOld({ name, kept: count = KEPT_RESULTS }: Result): void {
  const store = resultsFolder();
  const used = (entry: string) =>
    statSync(join(store, entry), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const entries = readdirSync(store).filter((entry) => entry.startsWith(`${name}-`));
  const kept = new RegExp(`^${name}-[0-9a-f]{16}$`);
  const old = entries
    .filter((entry) => kept.test(entry))
    .toSorted((one, other) => used(other) - used(one))
    .slice(count)
    .flatMap((entry) => [entry, `${entry}.lock`]);
  const abandoned = entries.filter(
    (entry) => entry.includes(".part-") && used(entry) < Date.now() - ABANDONED_MS,
  );
  for (const entry of [...old, ...abandoned]) {
    rmSync(join(store, entry), { recursive: true, force: true });
  }
}
