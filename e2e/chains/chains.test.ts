import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { startDevStore } from "@svc/devstore";
import { canary, needsRoot, temporaryFolder } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { allowAtOnce } from "../harness/wrapper/slots.ts";
import type { Chain } from "./chain.ts";
import { makeChainFolder } from "./chain-folder.ts";
import { ensurePackages } from "./chain-packages.ts";
import { digestsOf, makeWorkers } from "./chain-workers.ts";
import { chains } from "./chains.ts";
import { problemsOf } from "./compare-runs.ts";
import { bareWords, chosenPlaces, obstacle, type Place, wrapperWords } from "./places.ts";
import { type ChainRun, startChain } from "./run-chain.ts";
import { takeTurn } from "./take-turn.ts";

/** All rows are declared at once; a row waits for its turn. */
const TIMEOUT_MS = 3_600_000;
const secrets = { DB_PASSWORD: canary(), API_KEY: canary() };
const digests = digestsOf(secrets.DB_PASSWORD, secrets.API_KEY);
const store = startDevStore({
  token: canary(),
  secrets: { "secret/data/app": { password: secrets.DB_PASSWORD, key: secrets.API_KEY } },
});
const environment = {
  ...wrapperEnvironment(store.address, store.token),
  SVC_ENV_MAP: "password=DB_PASSWORD,key=API_KEY",
};
const folder = temporaryFolder();
chmodSync(folder.path, 0o755);
const workers = join(folder.path, "workers");
makeWorkers(workers);
const missing = ensurePackages(chains);
const notes: string[] = [];
// A row runs its chain twice.
allowAtOnce(8);

afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
  process.stdout.write(`\n${notes.join("\n")}\n`);
});
expectNothingLeft();

// It reads the environments of other users' processes. A chain that waits for a full minute begins
// early in all places.
for (const chain of chains) {
  for (const place of chosenPlaces()) {
    const reason = reasonToSkip(chain, place);
    if (reason === undefined) {
      needsRoot(describe)(`${place.name}: no process of the chain shows a value:`, () => {
        test.concurrent(chain.name, async () => await judge(chain, place), TIMEOUT_MS);
      });
    } else notes.push(`not run: ${chain.name}, ${place.name}: ${reason}`);
  }
}

describe("the same search finds the values in the places in which SVC_DELIVERY=env leaves them:", () => {
  const names = ["python3 alone", "sh -c that waits", "npm start", "ruby: system", "honcho"];
  const [place] = chosenPlaces();
  for (const chain of chains.filter(({ name }) => names.includes(name))) {
    if (place === undefined || reasonToSkip(chain, place) !== undefined) continue;
    const story = async () => {
      using _turn = await takeTurn();
      await using bare = await start(chain, place, false);
      await using wrapped = await start(chain, place, true, { SVC_DELIVERY: "env" });
      await expectProofs(wrapped);
      await bare.proofs();
      expect(leaksOf(wrapped).join("\n")).toMatch(/environ of \d+ .*: DB_PASSWORD/);
    };
    needsRoot(test.concurrent)(chain.name, story, TIMEOUT_MS);
  }
});

function reasonToSkip(chain: Chain, place: Place): string | undefined {
  const need = chain.needs?.find((name) => missing.has(name));
  return need === undefined ? obstacle(chain, place) : `${need}: ${missing.get(need)}`;
}

async function judge(chain: Chain, place: Place): Promise<void> {
  using _turn = await takeTurn();
  await using bare = await start(chain, place, false);
  await using wrapped = await start(chain, place, true);
  await expectProofs(bare);
  if (chain.hidden === undefined) expect(leaksOf(bare), "the bare chain leaks").not.toEqual([]);
  await expectProofs(wrapped);
  const { warning, isTraced } = place.isAnnounced
    ? { warning: chain.unprotected?.warning, isTraced: chain.traced !== undefined }
    : unannounced(chain, place);
  const expected = { showsValues: warning !== undefined, isTraced };
  const problems = [...(await problemsOf(expected, bare, wrapped))];
  const said = wrapped.log();
  const [code, bareCode] = await Promise.all([wrapped.end(), bare.end()]);
  if (code !== bareCode) problems.push(`exit code ${code}, of the bare chain ${bareCode}`);
  if (warning !== undefined && !said.includes(warning)) problems.push(`no warning: "${warning}"`);
  notes.push(`| ${chain.name} | ${place.name} | ${problems.join("; ") || "protected"} |`);
  expect(problems, withoutValues(said)).toEqual([]);
}

/**
 * The results of a chain when the kernel announces no execve, and the log's line about it at the
 * start.
 */
function unannounced({ isStatic, unprotected, traced }: Chain, { mayTrace }: Place) {
  if (isStatic === "first") {
    const warning = "values are readable in /proc/PID/environ";
    return { warning: mayTrace ? undefined : warning, isTraced: mayTrace };
  }
  const isPlain = isStatic === "child" || unprotected !== undefined;
  return {
    warning: isPlain ? "static programs and copies in other variables are not" : undefined,
    isTraced: traced !== undefined,
  };
}

/** Every worker has the values, and is one of the processes that are looked at. */
async function expectProofs(run: ChainRun): Promise<void> {
  const proofs = await run.proofs();
  const seen = run.processes().map(({ pid }) => pid);
  for (const [pid, digest] of proofs) {
    expect(digests, `the digest of ${pid}: ${withoutValues(run.log())}`).toContain(digest);
    expect(seen, "the processes that are looked at").toContain(pid);
  }
}

function leaksOf(run: ChainRun): readonly string[] {
  return run.processes().flatMap(({ leaks }) => leaks);
}

async function start(
  chain: Chain,
  place: Place,
  isWrapped: boolean,
  more: Readonly<Record<string, string>> = {},
): Promise<ChainRun> {
  const path = join(folder.path, crypto.randomUUID().slice(0, 8));
  return await startChain({
    chain,
    place,
    secrets,
    folder: makeChainFolder(path, chain, workers),
    words: isWrapped ? wrapperWords(place, chain.words) : bareWords(place, chain.words),
    environment: isWrapped ? { ...environment, ...more } : secrets,
  });
}

function withoutValues(text: string): string {
  return Object.entries(secrets).reduce(
    (rest, [name, value]) => rest.replaceAll(value, `[${name}]`),
    text,
  );
}
