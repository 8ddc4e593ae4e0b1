import { afterAll, beforeAll, expect, test } from "bun:test";
import { callBao, type OpenBao, waitFor } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { letTimePass } from "./after-accident.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { inLanes } from "./in-lanes.ts";
import { keepPods } from "./kept-release.ts";
import { runSvc, type SvcEnd, startSvc } from "./run-svc.ts";
import { type StoreRelease, startRelease } from "./store-release.ts";

const TIMEOUT_MS = 900_000;
const DEADLINE_MS = 60_000;
/** A run is killed at as many moments, which are spread over the time that a run takes. */
const MOMENTS = 12;
/**
 * More than the Job's tries. The test makes the life of a reservation end at once, while the store
 * may still be at its initialisation. Then a run refuses to reset it.
 */
const RUNS = 8;

const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, 120_000);
afterAll(() => started.disposeAsync());
expectNothingLeft();

/**
 * The processes to kill: all of a container, as by its deletion or an OOM kill, or the caller
 * alone.
 */
type Victim = "container" | "caller";

const init = ["secretstore", "init", "-o", "json"];

function optionsOf(release: StoreRelease) {
  const environment = {
    ...cluster.environmentFor(release),
    BOOTSTRAP_SHAMIR_SHARES: "3",
    BOOTSTRAP_SHAMIR_THRESHOLD: "2",
    BOOTSTRAP_RESET_UNFINISHED: "true",
    BOOTSTRAP_RESET_SETTLE: "0s",
    BOOTSTRAP_WAIT: "30s",
  };
  return { environment, hosts: release.hosts };
}

/** Starts a store of three nodes and its keeper. */
async function startStore(stack: AsyncDisposableStack) {
  const release = stack.use(await startRelease(cluster.kube, { size: 3 }));
  const keeper = stack.use(keepPods(cluster.kube, release));
  return { release, keeper };
}

async function killedAfter(ms: number, victim: Victim): Promise<SvcEnd & { resets: number }> {
  await using stack = new AsyncDisposableStack();
  const { release, keeper } = await startStore(stack);
  const run = { ...optionsOf(release), asContainer: victim === "container" };
  const child = startSvc(init, run);
  const said = Promise.all([child.stdout.text(), child.stderr.text()]);
  await Bun.sleep(ms);
  child.kill("SIGKILL");
  // The holder ends later than its caller, and closes the pipes.
  const ends: SvcEnd[] = [{ exitCode: await child.exited, ...textsOf(await said) }];
  if (victim === "caller") await expectNothingLost(release);
  for (let count = 0; count < RUNS; count++) {
    await letTimePass(cluster, release);
    ends.push(await runSvc(init, optionsOf(release)));
    if (ends.at(-1)?.exitCode === 0) break;
  }
  const told = `${victim} after ${ms} ms\n${ends.map((end) => JSON.stringify(end)).join("\n")}`;
  expect(ends.at(-1)?.exitCode, told).toBe(0);
  await expectOneOpenStore(release, told);
  const [last] = ends.slice(-1);
  if (last === undefined) throw new TypeError(told);
  return { ...last, resets: keeper.replaced() };
}

function textsOf([stdout, stderr]: readonly [string, string]) {
  return { stdout, stderr };
}

/**
 * A holder that has lost its caller ends when the keys are stored, or before it has asked for any.
 */
async function expectNothingLost(release: StoreRelease): Promise<void> {
  const keys = (await cluster.keysOf(release)) ?? {};
  const states = await Promise.all(release.nodes.map(sealStateOf));
  const isInitialised = states.some((state) => state?.["initialized"] === true);
  expect([isInitialised, Object.keys(keys).length]).toEqual([isInitialised, isInitialised ? 4 : 0]);
}

function sealStateOf(node: OpenBao) {
  return callBao(node, { method: "GET", path: "sys/seal-status" });
}

/**
 * Every node is of one store, which the keys in the Secret open and which takes the root token
 * there.
 */
async function expectOneOpenStore(release: StoreRelease, told: string): Promise<void> {
  const keys = (await cluster.keysOf(release)) ?? {};
  const states = await Promise.all(release.nodes.map(sealStateOf));
  expect(
    states.map((state) => state?.["sealed"]),
    told,
  ).toEqual([false, false, false]);
  expect(new Set(states.map((state) => state?.["cluster_id"])).size, told).toBe(1);
  const active = await activeNode(release);
  const rootToken = keys["root-token"] ?? "";
  await callBao({ ...active, rootToken }, { method: "PUT", path: "sys/seal" });
  for (const name of ["unseal-key-3", "unseal-key-2"]) {
    await callBao(active, { method: "PUT", path: "sys/unseal", body: { key: keys[name] } });
  }
  expect(await sealStateOf(active), told).toMatchObject({ sealed: false });
}

async function activeNode({ nodes }: StoreRelease): Promise<OpenBao> {
  const find = async () => {
    const codes = await Promise.all(nodes.map(codeOf));
    return nodes[codes.indexOf(200)];
  };
  return waitFor(find, { deadlineMs: DEADLINE_MS, what: "an active node" });
}

async function codeOf({ address }: OpenBao): Promise<number> {
  return (await fetch(`${address}/v1/sys/health`)).status;
}

/** The duration of a run that is not killed. */
async function measureRun(): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const { release } = await startStore(stack);
  const start = performance.now();
  const end = await runSvc(init, optionsOf(release));
  expect(end.exitCode, end.stdout).toBe(0);
  return performance.now() - start;
}

for (const victim of ["container", "caller"] as const) {
  const title = `a store of three nodes has its keys in the Secret whenever the ${victim} of a run is killed`;
  test(
    title,
    async () => {
      const lengthMs = await measureRun();
      const moments = Array.from({ length: MOMENTS }, (_, index) =>
        Math.round(((index + 1) * lengthMs) / MOMENTS),
      );
      const ends = await inLanes(moments, (ms) => killedAfter(ms, victim));
      const resets = ends.reduce((sum, end) => sum + end.resets, 0);
      // A container takes its keys with it. A caller leaves them to its holder.
      if (victim === "container") expect(resets).toBeGreaterThan(0);
      else expect(resets).toBe(0);
    },
    TIMEOUT_MS,
  );
}
