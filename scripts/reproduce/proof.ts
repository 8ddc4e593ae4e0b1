import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { findResult, type Result, result, resultFolder, SUMS } from "../results/results.ts";

/** Results of builds that a second build, from nothing, has to make again to the byte. */
export interface Proof {
  /** For people: `same-bytes-x64`. */
  readonly name: string;
  readonly results: readonly Result[];
  /** Hexadecimal SHA-256 of all that decides on how they are made again. See `keyOf`. */
  readonly method: string;
}

/** Whether the cache has the proof of the bytes that its results have now. */
export function isProved(proof: Proof): boolean {
  const sums = sumsOf(proof.results);
  return sums !== undefined && findResult(proofResult(proof, sums)) !== undefined;
}

/** Keeps the proof. To be called only if `changed` found nothing after a build from nothing. */
export function keepProof(proof: Proof): void {
  const sums = sumsOf(proof.results);
  if (sums === undefined) throw new Error(`keep ${proof.name}: the cache has not all results`);
  result(proofResult(proof, sums), (folder) => writeFileSync(join(folder, "proved"), sums));
}

/** Puts results of the cache into another folder of results, with their sums. */
export function copyResults(results: readonly Result[], store: string): void {
  for (const wanted of results) {
    const folder = findResult(wanted);
    if (folder === undefined) throw new Error(`copy ${wanted.name}: the cache does not have it`);
    cpSync(folder, join(store, basename(folder)), { recursive: true });
  }
}

/** The names of those that another folder of results does not have with the same bytes. */
export function changed(results: readonly Result[], store: string): readonly string[] {
  return results
    .filter((wanted) => sumOf(resultFolder(wanted)) !== sumOf(resultFolder(wanted, store)))
    .map(({ name }) => name);
}

/** By the method, and by the inputs and the bytes of the results. */
function proofResult({ name, method }: Proof, sums: string): Result {
  const text = JSON.stringify([method, sums]);
  return { name, key: createHash("sha256").update(text).digest("hex") };
}

/** Their names and keys with the sums of their files; undefined if the cache does not have all. */
function sumsOf(results: readonly Result[]): string | undefined {
  const folders = results.map((wanted) => findResult(wanted));
  const sums = folders.map((folder) => folder && `${basename(folder)}\n${sumOf(folder)}`);
  return sums.includes(undefined) ? undefined : sums.join("");
}

/** Different for each folder that has no sums: it equals none. */
function sumOf(folder: string): string {
  const path = join(folder, SUMS);
  return existsSync(path) ? readFileSync(path, "utf8") : `no sums in ${folder}`;
}
