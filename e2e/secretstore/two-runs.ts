import { describe, expect } from "bun:test";
import { waitFor } from "@svc/testing";
import type { AccidentTest } from "./accident-test.ts";
import { describeRuns, reopenWithSecret } from "./after-accident.ts";
import type { Cluster } from "./cluster.ts";
import type { Accident, Fate } from "./fault-proxy.ts";
import { INITIALISATION, initRequests, KEEPING } from "./init-requests.ts";
import { isWrite } from "./killed-at.ts";
import { type ProxiedRun, runProxied, startProxied } from "./proxied-run.ts";
import { startRelease } from "./store-release.ts";

const DEADLINE_MS = 20_000;

const ROUNDS = [1, 2, 3, 4, 5];

/** Every write until the store is open and noted; of the set-up's, which are alike, the first. */
const overtaken = initRequests
  .flatMap((name, index) => (isWrite(name) ? [index + 1] : []))
  .filter((number) => number <= initRequests.indexOf("POST sys/mounts/secret") + 1);

/** Two runs at the same time. */
export function twoRuns(test: AccidentTest): void {
  describe("of two runs one initialises the store, and both finish, if", () => {
    for (const round of ROUNDS) {
      test(`they are started at the same time, round ${round}`, runTogether);
    }
    for (const number of overtaken) {
      const name = initRequests[number - 1] ?? "";
      const waits = number === INITIALISATION || number === KEEPING;
      const other = waits ? "waits" : "does its work";
      const title = `one ${other} while the other's request ${number} (${name}) is on its way`;
      test(title, (cluster) => overtakeAt(cluster, number, waits));
    }
  });
}

async function runTogether(cluster: Cluster): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const ends = await Promise.all([1, 2].map(() => runProxied({ cluster, release })));
  const told = describeRuns("at the same time", ends);
  const exitCodes = ends.map(({ exitCode }) => exitCode);
  const initialisations = ends.map((end) => end.initialisations);
  expect([exitCodes, initialisations.toSorted()], told).toEqual([
    [0, 0],
    [0, 1],
  ]);
  await reopenWithSecret(cluster, release);
}

async function overtakeAt(cluster: Cluster, number: number, waits: boolean): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  let second: ProxiedRun | undefined;
  const accident = (): Accident => ({
    onRequest: async (request): Promise<Fate> => {
      if (request.number !== number) return "passes";
      second = await startProxied({ cluster, release });
      const run = second;
      const what = waits ? "the second run to wait" : "the second run to end";
      const isThere = () => (waits ? run.said().includes("waiting") : run.child.exitCode !== null);
      await waitFor(isThere, { deadlineMs: DEADLINE_MS, what });
      return "passes";
    },
  });
  const first = await runProxied({ cluster, release, accident });
  if (second === undefined) throw new TypeError(`there was no request ${number}`);
  const ends = [first, await second.ended];
  const told = describeRuns(`request ${number}`, ends);
  const exitCodes = ends.map(({ exitCode }) => exitCode);
  expect(exitCodes, told).toEqual([0, 0]);
  expect(first.initialisations + (ends[1]?.initialisations ?? 0), told).toBe(1);
  await reopenWithSecret(cluster, release);
}
