import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { answerPart, answerText, callBao, sealBao } from "@svc/testing";
import { Secret } from "@svc/vault";
import { ageIdentity } from "../bootstrap/age-identity.ts";
import { textOf } from "../bootstrap/opened-store.ts";
import { expectNothingLeft } from "../wrapper/leftovers.ts";
import { describeRuns, firstNode, lastOf, openWith } from "./after-accident.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { FIRST_OF_REVOCATION, initRequests, KEEPING, revokingRequests } from "./init-requests.ts";
import { type AccidentRow, accidentRows, isWrite, killedAt } from "./killed-at.ts";
import { runProxied } from "./proxied-run.ts";
import { type StoreRelease, startRelease } from "./store-release.ts";
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

const words = ["init", "--revoke-root", "-o", "json"];

test("a run that revokes asks what the runs below are killed at", async () => {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const end = await runProxied({ cluster, release, words });
  expect(end.requests, describeRuns("no accident", [end])).toEqual([...revokingRequests]);
});

describe("a run is killed while it revokes the root token", () => {
  const revocation = revokingRequests.slice(FIRST_OF_REVOCATION - 1);
  for (const row of accidentRows(revocation, FIRST_OF_REVOCATION)) {
    test.concurrent(
      `${row.title}, and the next one finishes`,
      () => inTurn(() => killAndRevoke(row)),
      TIMEOUT_MS,
    );
  }
});

async function killAndRevoke(row: AccidentRow): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  let tokens = { root: "", other: "" };
  const accident = (kill: () => Promise<void>) => {
    const { onRequest, onAnswer } = killedAt(row)(kill);
    return {
      onRequest: async (request: { readonly number: number; readonly name: string }) => {
        if (request.number === FIRST_OF_REVOCATION) tokens = await tokensOf(release);
        return (await onRequest?.(request)) ?? "passes";
      },
      ...(onAnswer !== undefined && { onAnswer }),
    };
  };
  const first = await runProxied({ cluster, release, words, accident });
  // Whether it is told to revoke or not: what was begun is ended.
  const isBegun = row.number > FIRST_OF_REVOCATION + 1;
  const again = isBegun ? ["init", "-o", "json"] : words;
  const second = await runProxied({ cluster, release, words: again });
  const third = await runProxied({ cluster, release, words });
  const told = () => describeRuns(row.title, [first, second, third]);
  expect([first.exitCode, first.requests.length], told()).toEqual([KILLED, row.number]);
  expect(lastOf(second), told()).toMatchObject({ type: "result", rootToken: false });
  expect(lastOf(third), told()).toMatchObject({ type: "result", changes: 0, rootToken: false });
  expect(third.requests.filter(isWrite), told()).toEqual([]);
  const node = firstNode(release);
  const asRoot = { ...node, rootToken: tokens.root };
  const look = { method: "GET", path: "auth/token/lookup-self" } as const;
  expect(await callBao(asRoot, look).catch(String), told()).toContain("403");
  const keys = (await cluster.keysOf(release)) ?? {};
  expect(keys, told()).not.toHaveProperty("root-token");
  await sealBao({ ...node, rootToken: tokens.other });
  expect(await openWith(node, keys), told()).toMatchObject({ sealed: false });
}

/** The root token, and one that lives longer than it. */
async function tokensOf(release: StoreRelease) {
  const { "root-token": root = "" } = (await cluster.keysOf(release)) ?? {};
  const body = { policies: ["root"], no_parent: true };
  const path = "auth/token/create-orphan";
  const asRoot = { ...firstNode(release), rootToken: root };
  const made = await callBao(asRoot, { method: "POST", path, body });
  return { root, other: answerText(answerPart(made, "auth"), "client_token") };
}

test("a run is killed once encrypted shares are stored: their holders unseal, and the next one finishes", async () => {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  await using stack = new AsyncDisposableStack();
  const holders = [];
  for (const _ of [1, 2, 3]) holders.push(stack.use(await ageIdentity()));
  const recipients = holders.map(({ recipient }) => recipient).join(",");
  const run = {
    ...{ cluster, release, environment: { BOOTSTRAP_AGE_RECIPIENTS: recipients } },
  };
  const row = { number: KEEPING, moment: "after", title: "" } as const;
  const first = await runProxied({ ...run, accident: killedAt(row) });
  expect(first.requests).toEqual(initRequests.slice(0, KEEPING));
  const second = await runProxied(run);
  expect(lastOf(second)).toMatchObject({ type: "error", code: "SHARES_ENCRYPTED" });

  const keys = (await cluster.keysOf(release)) ?? {};
  const shares = await Promise.all(
    holders.map((holder, index) =>
      holder.decrypt(new Secret(keys[`unseal-key-${index + 1}`] ?? "")),
    ),
  );
  const input = shares.slice(1).map((share) => `${textOf(share)}\n`);
  const words = ["unseal", "--shares-stdin", "-o", "json"];
  const unsealed = await runProxied({ ...run, words, input: input.join("") });
  expect(unsealed.exitCode, describeRuns("unseal", [unsealed])).toBe(0);
  const third = await runProxied(run);
  const told = describeRuns("after the unsealing", [first, second, unsealed, third]);
  expect(lastOf(third), told).toMatchObject({ type: "result", encryption: { shares: "age" } });
  expect(lastOf(await runProxied(run)), told).toMatchObject({ type: "result", changes: 0 });
});
