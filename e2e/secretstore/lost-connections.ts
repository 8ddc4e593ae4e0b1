import { describe, expect } from "bun:test";
import type { AccidentTest } from "./accident-test.ts";
import { describeRuns, lastOf, reopenWithSecret } from "./after-accident.ts";
import type { Cluster } from "./cluster.ts";
import type { Fate, ProxiedRequest } from "./fault-proxy.ts";
import { INITIALISATION, initRequests } from "./init-requests.ts";
import { type AccidentRow, accidentRows, isWrite, lostAt } from "./killed-at.ts";
import { runProxied } from "./proxied-run.ts";
import { startRelease } from "./store-release.ts";

/** The places at which a run that loses a connection stops; at all others it goes on by itself. */
const stops: Readonly<Record<string, string>> = {
  "before request 11 (GET sys/seal-status)": "UNREACHABLE",
  "before request 12 (PUT sys/init)": "UNREACHABLE",
  "after request 12 (PUT sys/init)": "INIT_ANSWER_LOST",
  "before request 24 (GET sys/seal-status)": "UNREACHABLE",
};

const rows = accidentRows(initRequests);

/**
 * Requests that one run can lose, each once: their servers do not know of them, and the run goes
 * on. By their places: it may look again at more than it has lost, so their numbers do not stay.
 */
const lostInOneRun: ReadonlyMap<AccidentRow, string> = new Map(
  rows
    .filter(({ moment }) => moment === "before")
    .map((row) => [row, placeIn(initRequests, row.number)] as const)
    // A second look between the same writes would be taken for the first one.
    .filter(([, place], index, all) => all.findIndex(([, other]) => other === place) === index)
    .filter(([{ title }]) => stops[title] === undefined),
);

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
    test("before each request of a run, once, and the run finishes", loseEach);
    for (const row of rows) {
      if (lostInOneRun.has(row)) continue;
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

/** Each request is lost once, and passes when it comes again. */
async function loseEach(cluster: Cluster): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const toLose = new Set(lostInOneRun.values());
  let writes = 0;
  const onRequest = ({ name }: ProxiedRequest): Fate => {
    if (toLose.delete(placeOf(name, writes))) return "is lost";
    if (isWrite(name)) writes += 1;
    return "passes";
  };
  const end = await runProxied({ cluster, release, accident: () => ({ onRequest }) });
  const told = describeRuns("each request is lost once", [end]);
  expect([end.exitCode, end.initialisations, [...toLose]], told).toEqual([0, 1, []]);
  await reopenWithSecret(cluster, release);
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

function placeIn(names: readonly string[], number: number): string {
  return placeOf(names[number - 1] ?? "", names.slice(0, number - 1).filter(isWrite).length);
}

/** Tells a request from others of its name by the writes that came before it. */
function placeOf(name: string, writes: number): string {
  return `${name}, after ${writes} writes`;
}
