/**
 * Counts the copies of a value and a token that this project's wrapper and its peers leave in
 * memory, environment and files: `bun bench/peers/run.ts`. It asserts nothing; docs/comparison.md
 * says how to read it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { stderr, stdout } from "node:process";
import {
  cacheFolder,
  callBao,
  canary,
  fetchOpenBao,
  makeToken,
  type OpenBao,
  startOpenBao,
  temporaryFolder,
  writePolicy,
  writeSecret,
} from "@svc/testing";
import { fixture } from "../../e2e/harness/programs/fixture-programs.ts";
import type { Canaries } from "./count-copies.ts";
import type { Peer, Surroundings } from "./peer.ts";
import { peers } from "./peers.ts";
import { runPeer } from "./run-peer.ts";
import type { Found } from "./search-tree.ts";
import { type Row, renderRows } from "./table.ts";

const ROUNDS = 3;
const cache = cacheFolder(process.env);

await fetchOpenBao(cache, process.env);
await using openBao = await startOpenBao();
const canaries = await plant(openBao);
using folder = temporaryFolder();
const tokenFile = join(folder.path, "token");
writeFileSync(tokenFile, canaries.token, { mode: 0o600 });
const around = { address: openBao.address, tokenFile, application: fixture("holds-secret") };
const rows: Row[] = [];
for (const peer of peers) {
  stderr.write(`${peer.name}\n`);
  rows.push(await measure(peer, around, canaries));
}
stdout.write(`${conditions()}\n\n${renderRows(rows)}\n`);

/** Puts the value into a KV engine of either version, and makes a token that may read just that. */
async function plant(target: OpenBao): Promise<Canaries> {
  const value = canary();
  await writeSecret(target, "secret/data/app", { password: value });
  const engine = { type: "kv", options: { version: "1" } };
  await callBao(target, { method: "POST", path: "sys/mounts/kv1", body: engine });
  await callBao(target, { method: "POST", path: "kv1/app", body: { password: value } });
  await writePolicy(target, "app", [
    { path: "secret/data/app", capabilities: ["read"] },
    { path: "kv1/app", capabilities: ["read"] },
  ]);
  const token = await makeToken(target, { id: canary(), policies: ["app"], ttl: "1h" });
  return { value, token };
}

/** One that fails does not keep the others from being measured. */
async function measure(
  peer: Peer,
  surroundings: Omit<Surroundings, "folder">,
  texts: Canaries,
): Promise<Row> {
  let version = "";
  try {
    const tool = await peer.obtain(cache);
    version = tool.version;
    const runs: Found[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      runs.push(await runPeer(peer, tool, surroundings, texts));
    }
    return { ...peer, version, outcome: { kind: "measured", runs } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...peer, version, outcome: { kind: "failed", reason } };
  }
}

function conditions(): string {
  const swaps = readFileSync("/proc/swaps", "utf8").trim().split("\n").length - 1;
  const swap = swaps === 0 ? "no swap" : `${swaps} swap areas`;
  return `${new Date().toISOString()}, Linux ${release()}, ${swap}, ${ROUNDS} runs of each`;
}
