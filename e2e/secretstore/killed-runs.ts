import { describe, expect } from "bun:test";
import type { AccidentTest } from "./accident-test.ts";
import { describeRuns, lastOf, letTimePass, reopenWithSecret } from "./after-accident.ts";
import type { Cluster } from "./cluster.ts";
import type { Accident } from "./fault-proxy.ts";
import { INITIALISATION, initRequests, KEEPING } from "./init-requests.ts";
import { type AccidentRow, isWrite, killedAt, killRows } from "./killed-at.ts";
import { type ProxiedRun, runProxied, startProxied } from "./proxied-run.ts";
import { startRelease } from "./store-release.ts";

const KILLED = 128 + 9;

/** A run is killed after each of its writes, and the next one finishes. */
export function killedRuns(test: AccidentTest): void {
  test(
    "a run without accidents sends the requests at which the others are killed",
    withoutAccident,
  );
  const title =
    "the keys are stored if the process that was started is killed while it waits for them";
  test(title, killCaller);
  describe("a run is killed", () => {
    for (const row of killRows(initRequests)) {
      const end = isInGap(row) ? "says that the keys are lost" : "finishes";
      test(`${row.title}, and the next one ${end}`, (cluster) => killAndRunAgain(cluster, row));
    }
  });
}

/** The process that was started dies, and the one that it has started goes on. */
async function killCaller(cluster: Cluster): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  let run: ProxiedRun | undefined;
  const accident = (): Accident => ({
    onRequest: ({ number }) => {
      if (number === INITIALISATION) run?.child.kill("SIGKILL");
      return "passes";
    },
  });
  run = await startProxied({ cluster, release, accident });
  const first = await run.ended;
  const runs = [first];
  const told = () => describeRuns("the caller is killed", runs);
  expect([first.exitCode, first.initialisations], told()).toEqual([KILLED, 1]);
  expect(lastOf(first), told()).toMatchObject({ type: "error", code: "STOPPED" });
  expect(first.requests.length, told()).toBeLessThanOrEqual(KEEPING + 3);
  const second = await runProxied({ cluster, release });
  runs.push(second);
  expect([second.exitCode, second.initialisations], told()).toEqual([0, 0]);
  await reopenWithSecret(cluster, release);
}

async function withoutAccident(cluster: Cluster): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const end = await runProxied({ cluster, release });
  expect(end.requests, describeRuns("no accident", [end])).toEqual([...initRequests]);
  expect(lastOf(end)).toMatchObject({ type: "result", shares: 3, threshold: 2, rootToken: true });
}

/**
 * Keys that die with their process between the store's answer and the Secret; a reset is not asked
 * for here.
 */
function isInGap({ number, moment }: AccidentRow): boolean {
  return moment === "after" && number >= INITIALISATION && number < KEEPING;
}

async function killAndRunAgain(cluster: Cluster, row: AccidentRow): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const first = await runProxied({ cluster, release, accident: killedAt(row) });
  await letTimePass(cluster, release);
  const second = await runProxied({ cluster, release });
  const runs = [first, second];
  const told = () => describeRuns(row.title, runs);
  expect([first.exitCode, first.requests.length], told()).toEqual([KILLED, row.number]);
  expect(first.initialisations + second.initialisations, told()).toBe(1);
  if (isInGap(row)) {
    expect(second.exitCode, told()).toBe(125);
    expect(lastOf(second), told()).toMatchObject({ type: "error", code: "OUTPUT_UNFINISHED" });
    return;
  }
  expect(second.exitCode, told()).toBe(0);
  expect(lastOf(second), told()).toMatchObject({ type: "result", rootToken: true });
  await reopenWithSecret(cluster, release);
  const third = await runProxied({ cluster, release });
  runs.push(third);
  expect(lastOf(third), told()).toMatchObject({ type: "result", changes: 0, rootToken: true });
  expect(third.requests.filter(isWrite), told()).toEqual([]);
}
