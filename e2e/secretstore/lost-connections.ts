import { describe, expect } from "bun:test";
import type { AccidentTest } from "./accident-test.ts";
import { describeRuns, lastOf, reopenWithSecret } from "./after-accident.ts";
import type { Cluster } from "./cluster.ts";
import type { Fate, ProxiedRequest } from "./fault-proxy.ts";
import { INITIALISATION, initRequests } from "./init-requests.ts";
import { type AccidentRow, accidentRows, lostAt } from "./killed-at.ts";
import { runProxied } from "./proxied-run.ts";
import { startRelease } from "./store-release.ts";

/** The places at which a run that loses a connection stops; at all others it goes on by itself. */
const stops: Readonly<Record<string, string>> = {
  "before request 11 (GET sys/seal-status)": "UNREACHABLE",
  "before request 12 (PUT sys/init)": "UNREACHABLE",
  "after request 12 (PUT sys/init)": "INIT_ANSWER_LOST",
  "before request 24 (GET sys/seal-status)": "UNREACHABLE",
};

/** One of the two servers cannot be used. */
interface Outage {
  readonly name: string;
  readonly ofWhom: (request: ProxiedRequest) => boolean;
  readonly fate: Fate;
}

/** Two seconds of them. */
const REQUESTS_OF_AN_OUTAGE = 4;

const apiServer = ({ name }: ProxiedRequest) => /^\w+ (?:secrets|pods)\b/.test(name);
const store = (request: ProxiedRequest) => !apiServer(request);

const outages: readonly Outage[] = [
  { name: "the API server is not there", ofWhom: apiServer, fate: "is lost" },
  { name: "the API server has trouble", ofWhom: apiServer, fate: { status: 503 } },
  { name: "the account's rights are taken away", ofWhom: apiServer, fate: { status: 403 } },
  { name: "the store is not there", ofWhom: store, fate: "is lost" },
  { name: "the store has trouble", ofWhom: store, fate: { status: 500 } },
];

/** A connection breaks at each request of a run, or is not to be had for some time. */
export function lostConnections(test: AccidentTest): void {
  describe("a connection breaks", () => {
    for (const row of accidentRows(initRequests)) {
      const code = stops[row.title];
      const end = code === undefined ? "finishes" : `stops with ${code}`;
      test(`${row.title}, and the run ${end}`, (cluster) => loseAndGoOn(cluster, row, code));
    }
  });
  describe("for some time after the initialisation", () => {
    for (const outage of outages) {
      const title = `${outage.name}: the keys are stored, and the run finishes`;
      test(title, (cluster) => outlast(cluster, outage));
    }
  });
}

async function loseAndGoOn(
  cluster: Cluster,
  row: AccidentRow,
  code: string | undefined,
): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const first = await runProxied({ cluster, release, accident: lostAt(row) });
  const runs = [first];
  const told = () => describeRuns(row.title, runs);
  if (code === undefined) {
    expect([first.exitCode, first.initialisations], told()).toEqual([0, 1]);
    await reopenWithSecret(cluster, release);
    return;
  }
  expect([first.exitCode, lastOf(first)], told()).toMatchObject([125, { type: "error", code }]);
  // No time has to pass: a run that could not initialise releases the Secret.
  const second = await runProxied({ cluster, release });
  runs.push(second);
  expect(first.initialisations + second.initialisations, told()).toBe(1);
  if (code === "INIT_ANSWER_LOST") {
    expect(lastOf(second), told()).toMatchObject({ type: "error", code: "OUTPUT_UNFINISHED" });
    return;
  }
  expect(lastOf(second), told()).toMatchObject({ type: "result", rootToken: true });
  await reopenWithSecret(cluster, release);
}

async function outlast(cluster: Cluster, { name, ofWhom, fate }: Outage): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  let lost = 0;
  const onRequest = (request: ProxiedRequest): Fate => {
    if (request.number <= INITIALISATION || !ofWhom(request)) return "passes";
    lost += 1;
    return lost > REQUESTS_OF_AN_OUTAGE ? "passes" : fate;
  };
  const end = await runProxied({ cluster, release, accident: () => ({ onRequest }) });
  const told = describeRuns(name, [end]);
  expect([end.exitCode, end.initialisations], told).toEqual([0, 1]);
  expect(lost, told).toBeGreaterThan(REQUESTS_OF_AN_OUTAGE);
  await reopenWithSecret(cluster, release);
}
