import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askKubernetes, callBao, waitFor } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import {
  describeRuns,
  firstNode,
  lastOf,
  letTimePass,
  reopenWithSecret,
} from "./after-accident.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { Fate } from "./fault-proxy.ts";
import { inLanes } from "./in-lanes.ts";
import { claimPath, keepPods } from "./kept-release.ts";
import { type AccidentRow, isWrite, killedAt, killRows } from "./killed-at.ts";
import { asJob, loseKeys } from "./lost-store.ts";
import { type ProxiedEnd, runProxied, startProxied } from "./proxied-run.ts";
import { writePod } from "./store-pods.ts";
import { type StoreRelease, startRelease } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

const json = ["-o", "json"];
const atOnce = "--reset-settle=0s";
const resetting = ["init", "--reset-unfinished", atOnce, ...json];

async function lostStore(stack: AsyncDisposableStack) {
  const release = stack.use(await startRelease(cluster.kube));
  const keeper = stack.use(keepPods(cluster.kube, release));
  await loseKeys(cluster, release);
  return { release, keeper };
}

function svc(release: StoreRelease, words: readonly string[]): Promise<ProxiedEnd> {
  return runProxied({ cluster, release, words });
}

async function uidOfClaim(release: StoreRelease): Promise<unknown> {
  const path = claimPath(release, 0);
  const { body } = await askKubernetes(cluster.kube, { method: "GET", path });
  return Object(body?.["metadata"]).uid;
}

describe("a store whose keys were lost", () => {
  test(
    "is reset in two steps by a person, who first sees the objects to delete",
    async () => {
      await using stack = new AsyncDisposableStack();
      const { release, keeper } = await lostStore(stack);
      const before = await uidOfClaim(release);
      const unasked = await svc(release, ["init", ...json]);
      expect(lastOf(unasked)).toMatchObject({ type: "error", code: "OUTPUT_UNFINISHED" });
      const told = { type: "result", pod: "store-0", claim: "data-store-0" };
      const dry = await svc(release, ["reset", ...json]);
      expect(lastOf(dry)).toEqual({ ...told, dryRun: true });
      expect([await uidOfClaim(release), keeper.replaced()]).toEqual([before, 0]);
      expect(dry.requests.filter(isWrite)).toEqual([]);
      const done = await svc(release, ["reset", "--delete", atOnce, ...json]);
      expect(lastOf(done)).toEqual({ ...told, dryRun: false });
      const again = await svc(release, ["init", ...json]);
      expect(lastOf(again), describeRuns("again", [again])).toMatchObject({ type: "result" });
      expect([again.initialisations, keeper.replaced()]).toEqual([1, 1]);
      await reopenWithSecret(cluster, release);
    },
    TIMEOUT_MS,
  );

  test(
    "is reset by the run that is asked to, also in words for people",
    async () => {
      await using stack = new AsyncDisposableStack();
      const { release } = await lostStore(stack);
      const dry = await svc(release, ["init", "--reset-unfinished", "--dry-run"]);
      expect(dry.stdout).toContain("to update  reset, because its keys are lost: store-0");
      const end = await svc(release, ["init", "--reset-unfinished", atOnce]);
      expect(end.exitCode, end.stderr).toBe(0);
      expect(end.stdout).toContain("  updated    reset, because its keys are lost: store-0");
      await reopenWithSecret(cluster, release);
    },
    TIMEOUT_MS,
  );

  test(
    "is reset after a kill at any write of the reset, with the Job's rights",
    async () => {
      const names = await requestsOfReset();
      const until = names.lastIndexOf("PUT sys/init") + 1;
      const kinds = names.filter((name, at) => isWrite(name) && at < until);
      expect(kinds.map((name) => name.split(" ")[0])).toEqual([
        ...["PUT", "DELETE", "DELETE", "PUT", "PUT", "PUT"],
      ]);
      await inLanes(killRows(names.slice(0, until)), killReset);
    },
    TIMEOUT_MS,
  );
});

/** The requests of a run that resets a store and initialises it. */
async function requestsOfReset(): Promise<readonly string[]> {
  await using stack = new AsyncDisposableStack();
  const { release } = await lostStoreOfJob(stack);
  const { job } = release;
  const end = await runProxied({ cluster: job, release, words: resetting });
  expect(end.exitCode, describeRuns("a reset", [end])).toBe(0);
  await reopenWithSecret(cluster, release);
  return end.requests;
}

async function lostStoreOfJob(stack: AsyncDisposableStack) {
  const release = stack.use(await startRelease(cluster.kube));
  const keeper = stack.use(keepPods(cluster.kube, release));
  const job = await asJob(cluster, release);
  await loseKeys(cluster, release, job);
  return { release: { ...release, job }, keeper };
}

async function killReset(place: AccidentRow): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { release, keeper } = await lostStoreOfJob(stack);
  const { job } = release;
  const accident = killedAt(place);
  const runs = [await runProxied({ cluster: job, release, words: resetting, accident })];
  for (let count = 0; count < 3 && runs.at(-1)?.exitCode !== 0; count++) {
    await letTimePass(cluster, release);
    runs.push(await runProxied({ cluster: job, release, words: resetting }));
  }
  const told = describeRuns(place.title, runs);
  expect([runs[0]?.exitCode, runs.at(-1)?.exitCode], told).toEqual([137, 0]);
  // A second time if it was killed when the new store had answered.
  expect(keeper.replaced(), told).toBeLessThanOrEqual(2);
  await reopenWithSecret(cluster, release);
}

describe("a store is not reset", () => {
  const cases: Readonly<
    Record<string, readonly [change: (release: StoreRelease) => Promise<unknown>, reason: string]>
  > = {
    "whose run may have its keys in hand": [
      (release) => noteTime(release, new Date().toISOString()),
      "may have its keys since",
    ],
    "whose pod was started again": [
      (release) => writePod(cluster.kube, release, { index: 0, restarts: 1 }),
      "it may have been open",
    ],
    "that was given a share": [
      (release) => {
        const body = { key: btoa("x".repeat(33)) };
        return callBao(firstNode(release), { method: "PUT", path: "sys/unseal", body });
      },
      "was given 1 shares",
    ],
    "of which another pod is silent": [
      (release) => writePod(cluster.kube, release, { index: 1, phase: "Pending" }),
      "store-1 is Pending",
    ],
  };
  for (const [name, [change, reason]] of Object.entries(cases)) {
    test(
      name,
      async () => {
        await using stack = new AsyncDisposableStack();
        const { release, keeper } = await lostStore(stack);
        await change(release);
        const end = await svc(release, ["reset", "--delete", atOnce, ...json]);
        const message: unknown = expect.stringContaining(reason);
        expect(lastOf(end)).toMatchObject({ type: "error", code: "RESET_REFUSED", message });
        expect(end.requests.filter(isWrite)).toEqual([]);
        expect(keeper.replaced()).toBe(0);
      },
      TIMEOUT_MS,
    );
  }
});

test(
  "a store is not reset whose pod is told to have restarted after the first look",
  async () => {
    await using stack = new AsyncDisposableStack();
    const { release, keeper } = await lostStore(stack);
    const words = ["init", "--reset-unfinished", "--reset-settle=2s", ...json];
    const run = await startProxied({ cluster, release, words });
    await waitFor(() => run.said().includes("nothing to change at store-0"), {
      ...{ deadlineMs: 20_000, what: "the first proof" },
    });
    await writePod(cluster.kube, release, { index: 0, restarts: 1 });
    const end = await run.ended;
    expect(lastOf(end)).toMatchObject({ type: "error", code: "RESET_REFUSED" });
    expect(end.requests.filter(isWrite)).toEqual([]);
    expect(keeper.replaced()).toBe(0);
  },
  TIMEOUT_MS,
);

async function noteTime(release: StoreRelease, text: string): Promise<void> {
  const path = `/api/v1/namespaces/${release.namespace}/secrets/svc-vault-init`;
  const contentType = "application/merge-patch+json";
  const body = { metadata: { annotations: { "svc.internal/reserved-at": text } } };
  await askKubernetes(cluster.kube, { method: "PATCH", path, contentType, body });
}

test(
  "keys that come when the store was reset meanwhile are void, and the new ones stay",
  async () => {
    await using stack = new AsyncDisposableStack();
    const release = stack.use(await startRelease(cluster.kube));
    stack.use(keepPods(cluster.kube, release));
    let second: ProxiedEnd | undefined;
    const accident = () => ({
      onAnswer: async ({ name }: { readonly name: string }): Promise<Fate> => {
        if (name !== "PUT sys/init") return "passes";
        await letTimePass(cluster, release);
        second = await svc(release, resetting);
        return "passes";
      },
    });
    const first = await runProxied({ cluster, release, accident });
    const told = describeRuns("overtaken", second === undefined ? [first] : [first, second]);
    expect(second?.exitCode, told).toBe(0);
    expect(lastOf(first), told).toMatchObject({ type: "error", code: "STORE_RESET" });
    await reopenWithSecret(cluster, release);
  },
  TIMEOUT_MS,
);
