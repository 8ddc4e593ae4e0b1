import { describe, expect } from "bun:test";
import { answerPart, answerText, callBao, sealBao } from "@svc/testing";
import type { AccidentTest } from "./accident-test.ts";
import { describeRuns, firstNode, lastOf, openWith } from "./after-accident.ts";
import type { Cluster } from "./cluster.ts";
import { type Accident, passes } from "./fault-proxy.ts";
import { FIRST_OF_REVOCATION, revokingRequests } from "./init-requests.ts";
import { type AccidentRow, isWrite, killedAt, killRows } from "./killed-at.ts";
import { runProxied } from "./proxied-run.ts";
import { type StoreRelease, startRelease } from "./store-release.ts";

const KILLED = 128 + 9;

const words = ["init", "--revoke-root", "-o", "json"];

/** A run is killed after each write of the root token's revocation, and the next one ends it. */
export function killedRevocations(test: AccidentTest): void {
  test("a run that revokes sends the requests at which the others are killed", withoutAccident);
  describe("a run is killed while it revokes the root token", () => {
    const revocation = revokingRequests.slice(FIRST_OF_REVOCATION - 1);
    for (const row of killRows(revocation, FIRST_OF_REVOCATION)) {
      test(`${row.title}, and the next one finishes`, (cluster) => killAndRevoke(cluster, row));
    }
  });
}

async function withoutAccident(cluster: Cluster): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  const end = await runProxied({ cluster, release, words });
  expect(end.requests, describeRuns("no accident", [end])).toEqual([...revokingRequests]);
}

async function killAndRevoke(cluster: Cluster, row: AccidentRow): Promise<void> {
  await using release = await startRelease(cluster.kube, { storage: "inmem" });
  let tokens = { root: "", other: "" };
  const accident = (kill: () => Promise<void>): Accident => {
    const { onRequest = passes, onAnswer = passes } = killedAt(row)(kill);
    return {
      onAnswer,
      onRequest: async (request) => {
        if (request.number === FIRST_OF_REVOCATION) tokens = await tokensOf(cluster, release);
        return onRequest(request);
      },
    };
  };
  const first = await runProxied({ cluster, release, words, accident });
  // With or without the flag, the run completes a revocation that has begun.
  const isBegun = row.number > FIRST_OF_REVOCATION + 2;
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
async function tokensOf(cluster: Cluster, release: StoreRelease) {
  const { "root-token": root = "" } = (await cluster.keysOf(release)) ?? {};
  const body = { policies: ["root"], no_parent: true };
  const path = "auth/token/create-orphan";
  const asRoot = { ...firstNode(release), rootToken: root };
  const made = await callBao(asRoot, { method: "POST", path, body });
  return { root, other: answerText(answerPart(made, "auth"), "client_token") };
}
