import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectNothingLeft } from "../wrapper/leftovers.ts";
import { describeRuns, lastOf, reopenWithSecret } from "./after-accident.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { Fate, ProxiedRequest } from "./fault-proxy.ts";
import { INITIALISATION, initRequests } from "./init-requests.ts";
import { type AccidentRow, accidentRows, lostAt } from "./killed-at.ts";
import { runProxied } from "./proxied-run.ts";
import { startRelease } from "./store-release.ts";
import { inTurn } from "./turns.ts";

const TIMEOUT_MS = 120_000;
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

/** Where a run that loses a connection stops; everywhere else it goes on by itself. */
const stops: Readonly<Record<string, string>> = {
  "before request 9 (GET sys/seal-status)": "UNREACHABLE",
  "before request 10 (PUT sys/init)": "UNREACHABLE",
  "after request 10 (PUT sys/init)": "INIT_ANSWER_LOST",
  "before request 16 (GET sys/seal-status)": "UNREACHABLE",
  "before request 22 (GET sys/seal-status)": "UNREACHABLE",
};

describe("a connection breaks", () => {
  for (const row of accidentRows(initRequests)) {
    const code = stops[row.title];
    const end = code === undefined ? "finishes" : `stops with ${code}`;
    test.concurrent(
      `${row.title}, and the run ${end}`,
      () => inTurn(() => loseAndGoOn(row, code)),
      TIMEOUT_MS,
    );
  }
});

async function loseAndGoOn(row: AccidentRow, code: string | undefined): Promise<void> {
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
  // No time has to pass: who could not initialise lets go of the Secret.
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

const apiServer = ({ name }: ProxiedRequest) => /^\w+ (?:secrets|pods)\b/.test(name);
const store = (request: ProxiedRequest) => !apiServer(request);
/** Two seconds of them. */
const REQUESTS_OF_AN_OUTAGE = 4;

const outages: readonly (readonly [string, (request: ProxiedRequest) => boolean, Fate])[] = [
  ["the API server is not there", apiServer, "is lost"],
  ["the API server has trouble", apiServer, { status: 503 }],
  ["the account's rights are taken away", apiServer, { status: 403 }],
  ["the store is not there", store, "is lost"],
  ["the store has trouble", store, { status: 500 }],
];

describe("for some time after the initialisation", () => {
  for (const [name, ofWhom, fate] of outages) {
    test.concurrent(`${name}: the keys are stored, and the run finishes`, async () => {
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
    });
  }
});
