import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectNothingLeft } from "../wrapper/leftovers.ts";
import { describeRuns, lastOf, letTimePass, reopenWithSecret } from "./after-accident.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { Accident } from "./fault-proxy.ts";
import { INITIALISATION, initRequests, KEEPING } from "./init-requests.ts";
import { runProxied } from "./proxied-run.ts";
import { startRelease } from "./store-release.ts";
import { inTurn } from "./turns.ts";

const TIMEOUT_MS = 120_000;
const KILLED = 128 + 9;
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

test("a run without accidents asks what the runs below are killed at", async () => {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const end = await runProxied({ cluster, release });
  expect(end.requests, describeRuns("", [end])).toEqual([...initRequests]);
  expect(lastOf(end)).toMatchObject({ type: "result", shares: 3, threshold: 2, rootToken: true });
});

type Moment = "before" | "after";

/** Kills the command when a request of its comes, or when the server has answered it. */
function killedAt(number: number, moment: Moment) {
  return (kill: () => Promise<void>): Accident => {
    const strike: Accident["onRequest"] = async (request) => {
      if (request.number !== number) return "passes";
      await kill();
      return "is lost";
    };
    return moment === "before" ? { onRequest: strike } : { onAnswer: strike };
  };
}

/** Between the store's answer and the Secret lies the one gap that nobody can close. */
function isInGap(number: number, moment: Moment): boolean {
  if (moment === "after") return number >= INITIALISATION && number < KEEPING;
  return number > INITIALISATION && number <= KEEPING;
}

describe("a run is killed", () => {
  for (const [index, name] of initRequests.entries()) {
    for (const moment of ["before", "after"] as const) {
      const title = `${moment} request ${index + 1} (${name})`;
      const end = isInGap(index + 1, moment) ? "says that the keys are lost" : "finishes";
      test.concurrent(
        `${title}, and the next one ${end}`,
        () => inTurn(() => killAndRunAgain(title, index + 1, moment)),
        TIMEOUT_MS,
      );
    }
  }
});

async function killAndRunAgain(title: string, number: number, moment: Moment): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const first = await runProxied({ cluster, release, accident: killedAt(number, moment) });
  await letTimePass(cluster, release);
  const second = await runProxied({ cluster, release });
  const runs = [first, second];
  const told = () => describeRuns(title, runs);
  expect([first.exitCode, first.requests.length], told()).toEqual([KILLED, number]);
  if (isInGap(number, moment)) {
    expect(second.exitCode, told()).toBe(125);
    expect(lastOf(second), told()).toMatchObject({ type: "error", code: "OUTPUT_UNFINISHED" });
    expect(first.initialisations + second.initialisations, told()).toBe(1);
    return;
  }
  expect(second.exitCode, told()).toBe(0);
  await reopenWithSecret(cluster, release);
  const third = await runProxied({ cluster, release });
  runs.push(third);
  expect(lastOf(third), told()).toMatchObject({ type: "result", changes: 0, rootToken: true });
  expect(
    third.requests.filter((it) => !it.startsWith("GET ")),
    told(),
  ).toEqual([]);
  const initialisations = runs.map((run) => run.initialisations);
  expect(initialisations.toSorted(), told()).toEqual([0, 0, 1]);
}
