import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { findResult, type Result, result } from "../results/results.ts";
import { changed, copyResults, isProved, keepProof, type Proof } from "./proof.ts";

let folder: ReturnType<typeof temporaryFolder>;
let other: string;
const before = process.env["SVC_RESULTS"];

beforeEach(() => {
  folder = temporaryFolder();
  other = join(folder.path, "other results");
  process.env["SVC_RESULTS"] = join(folder.path, "results");
  for (const wanted of results) put(wanted, "bytes");
});

afterEach(() => {
  if (before === undefined) delete process.env["SVC_RESULTS"];
  else process.env["SVC_RESULTS"] = before;
  folder[Symbol.dispose]();
});

const [host, compiler] = [
  { name: "host", key: "a".repeat(64) },
  { name: "compiler", key: "b".repeat(64) },
] as const;
const results: readonly Result[] = [host, compiler];
const proof: Proof = { name: "same-bytes-x64", results, method: "c" };

function put(wanted: Result, text: string): string {
  return result(wanted, (into) => writeFileSync(join(into, "program"), text));
}

/** In the other folder of results, by the same inputs. */
function putElsewhere(wanted: Result, text: string): void {
  const ours = process.env["SVC_RESULTS"];
  process.env["SVC_RESULTS"] = other;
  put(wanted, text);
  process.env["SVC_RESULTS"] = ours;
}

test("a proof is there once it is kept", () => {
  expect(isProved(proof)).toBe(false);
  keepProof(proof);
  expect(isProved(proof)).toBe(true);
});

test("a proof is of its inputs and of its method alone", () => {
  keepProof(proof);
  const changedHost = { ...host, key: "d".repeat(64) };
  put(changedHost, "bytes");
  expect(isProved({ ...proof, results: [changedHost, compiler] })).toBe(false);
  expect(isProved({ ...proof, results: [host] })).toBe(false);
  expect(isProved({ ...proof, method: "e" })).toBe(false);
});

test("a proof does not hold for other bytes, nor for a result that is gone", () => {
  keepProof(proof);
  rmSync(findResult(host) ?? "", { recursive: true });
  expect(isProved(proof)).toBe(false);
  put(host, "other bytes");
  expect(isProved(proof)).toBe(false);
});

test("a proof of results that are not there is not kept", () => {
  const missing = { ...proof, results: [{ name: "host", key: "f".repeat(64) }] };
  expect(() => keepProof(missing)).toThrow("the cache has not all results");
  expect(isProved(missing)).toBe(false);
});

test("copied results are the same", () => {
  copyResults(results, other);
  expect(changed(results, other)).toEqual([]);
});

test("results that were made elsewhere are compared by their bytes", () => {
  putElsewhere(host, "bytes");
  putElsewhere(compiler, "other bytes");
  expect(changed(results, other)).toEqual(["compiler"]);
});

test("a result that was not made elsewhere is not the same", () => {
  mkdirSync(other);
  expect(changed(results, other)).toEqual(["host", "compiler"]);
});
