import { afterAll, expect, test } from "bun:test";
import {
  type ClusterNode,
  callBao,
  type OpenBaoCluster,
  startOpenBaoCluster,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { faultProxy } from "../harness/faults/fault-proxy.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { startFleet } from "./fleet.ts";
import { fleetPlan } from "./fleet-plan.ts";
import { issuedTokens } from "./issued-tokens.ts";
import { monotonicClock } from "./monotonic-clock.ts";
import { valueHistory } from "./value-history.ts";
import { secretPath, setUpVault } from "./vault-set-up.ts";

const kills = Number(process.env["SVC_CHAOS_KILLS"] ?? 5);
const size = 10;
const LEADER_MS = 60_000;
const CONVERGE_MS = 90_000;
/** An answer may wait in a standby for the election of a leader. */
const WINDOW_MS = 15_000;

const kept = process.env["SVC_CHAOS_FOLDER"];
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
expectNothingLeft();

/** As a balancer without health checks does: one node after the other, leader or not. */
function inTurn({ nodes }: OpenBaoCluster): () => number {
  let next = 0;
  return () => {
    next += 1;
    return nodes[next % nodes.length]?.port ?? 0;
  };
}

function newLeader({ leader }: OpenBaoCluster): Promise<ClusterNode> {
  return waitFor(leader, { deadlineMs: LEADER_MS, what: "a leader" });
}

/**
 * Standbys refuse an engine with 400 for a moment after it was mounted. This waits until all know
 * it.
 */
async function knownEverywhere({ nodes, rootToken }: OpenBaoCluster): Promise<void> {
  const read = { method: "GET", path: secretPath } as const;
  const knows = ({ address }: ClusterNode) =>
    callBao({ address, rootToken }, read).then(
      () => true,
      () => false,
    );
  await waitFor(async () => (await Promise.all(nodes.map(knows))).every(Boolean), {
    deadlineMs: LEADER_MS,
    what: "every node to know the secret",
  });
}

test(
  `${size} wrappers live through ${kills} deaths of the leader of three nodes`,
  async () => {
    await using cluster = await startOpenBaoCluster();
    const { rootToken } = cluster;
    const target = { address: (await newLeader(cluster)).address, rootToken };
    await using vault = await setUpVault(target, { loginTtlS: 5, loginMaxTtlS: 20 });
    const history = valueHistory(
      async () => ({ address: (await newLeader(cluster)).address, rootToken }),
      secretPath,
      monotonicClock(),
    );
    const first = await history.change();
    await knownEverywhere(cluster);
    const tokens = issuedTokens();
    await using proxy = faultProxy({
      vaultPort: inTurn(cluster),
      faultOf: () => undefined,
      onAnswer: tokens.onAnswer,
    });
    await using fleet = await startFleet(fleetPlan(size), {
      folder: kept ?? folder.path,
      vaultAddress: proxy.address,
      vault,
      environment: {
        RENEWAL_INTERVAL: "500ms",
        SVC_ROTATION_SPLAY: "1s",
        SVC_ROTATION_MIN_INTERVAL: "1s",
      },
    });
    await fleet.converge(first, CONVERGE_MS);
    const electionsMs: number[] = [];
    const convergedMs: number[] = [];
    for (let death = 0; death < kills; death += 1) {
      const old = await newLeader(cluster);
      const killed = performance.now();
      await old.kill();
      const value = await history.change();
      electionsMs.push(Math.round(performance.now() - killed));
      await fleet.converge(value, CONVERGE_MS);
      convergedMs.push(Math.round(performance.now() - killed));
      await old.restart();
    }
    await fleet.converge(await history.change(), CONVERGE_MS);
    await fleet.end();
    const requests = proxy.requests();
    const logins = tokens.all().length;
    process.stderr.write(`${JSON.stringify({ electionsMs, convergedMs, requests, logins })}\n`);
    const verdict = { values: history.values(), windowMs: WINDOW_MS, tokens: tokens.all() };
    expect(fleet.judge(verdict)).toEqual([]);
  },
  CONVERGE_MS * (kills + 2),
);
