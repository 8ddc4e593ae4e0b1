import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { waitFor } from "@svc/testing";
import { expectNothingLeft } from "../wrapper/leftovers.ts";
import { describeRuns, reopenWithSecret } from "./after-accident.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { Accident, Fate } from "./fault-proxy.ts";
import { INITIALISATION, initRequests, KEEPING } from "./init-requests.ts";
import { accidentRows, isWrite } from "./killed-at.ts";
import { type ProxiedRun, runProxied, startProxied } from "./proxied-run.ts";
import { startRelease } from "./store-release.ts";
import { inTurn } from "./turns.ts";

const TIMEOUT_MS = 120_000;
const DEADLINE_MS = 20_000;
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

describe("of two runs one initialises the store, and both finish, where", () => {
  for (const round of [1, 2, 3, 4, 5]) {
    test(`they are started at the same time, round ${round}`, async () => {
      await using release = await startRelease(cluster.kube, { storage: "inmem" });
      const ends = await Promise.all([1, 2].map(() => runProxied({ cluster, release })));
      const told = describeRuns(`round ${round}`, ends);
      expect(
        ends.map(({ exitCode }) => exitCode),
        told,
      ).toEqual([0, 0]);
      expect(ends.map(({ initialisations }) => initialisations).toSorted(), told).toEqual([0, 1]);
      await reopenWithSecret(cluster, release);
    });
  }

  const writes = accidentRows(initRequests).filter(({ moment }) => moment === "after");
  for (const { number } of writes) {
    const name = initRequests[number - 1] ?? "";
    const waits = number >= INITIALISATION && number <= KEEPING;
    const other = waits ? "waits" : "does its work";
    test.concurrent(
      `one ${other} while the other's request ${number} (${name}) is on its way`,
      () => inTurn(() => overtakeAt(number, waits)),
      TIMEOUT_MS,
    );
  }
});

async function overtakeAt(number: number, waits: boolean): Promise<void> {
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
  expect(
    ends.map(({ exitCode }) => exitCode),
    told,
  ).toEqual([0, 0]);
  expect(first.initialisations + (ends[1]?.initialisations ?? 0), told).toBe(1);
  await reopenWithSecret(cluster, release);
  const third = await runProxied({ cluster, release });
  expect(third.requests.filter(isWrite), describeRuns("third", [third])).toEqual([]);
}
