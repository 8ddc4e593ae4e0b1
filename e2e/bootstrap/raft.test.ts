import { afterAll, beforeAll, expect, test } from "bun:test";
import { ensureKvMount, initialiseStore, joinCluster, unsealNode } from "@svc/bootstrap";
import { type OpenBao, startOpenBao, waitFor } from "@svc/testing";
import { type Initialised, type VaultAdministration, VaultError } from "@svc/vault";
import { administer, wrongShare } from "../harness/stores/opened-store.ts";

const servers: OpenBao[] = [];
let nodes: readonly VaultAdministration[] = [];
let keys: Initialised;

beforeAll(async () => {
  for (const nodeId of ["store-0", "store-1", "store-2"]) {
    servers.push(await startOpenBao({ storage: "raft", nodeId, initialise: false }));
  }
  nodes = servers.map(({ address }) => administer(address));
  keys = await initialiseStore(nodeAt(0), { shares: 3, threshold: 2 });
});
afterAll(async () => {
  for (const server of servers) await server.stop();
});

function nodeAt(index: number): VaultAdministration {
  const node = nodes[index];
  if (node === undefined) throw new RangeError(`no node ${index}`);
  return node;
}

const leader = () => ({ address: nodeAt(0).address });

test("a node cannot join a leader that is sealed", async () => {
  const impatient = administer(nodeAt(1).address, { retry: { maxAttempts: 1 } });
  const error = await joinCluster(impatient, leader()).catch((it: unknown) => it);
  expect(error).toBeInstanceOf(VaultError);
  expect(error).toMatchObject({ code: "SERVER_ERROR" });
});

test("a node that has not joined refuses shares as one that has no store", async () => {
  const impatient = administer(nodeAt(1).address, { retry: { maxAttempts: 1 } });
  const error = await unsealNode(impatient, keys.shares).catch((it: unknown) => it);
  expect(error).toMatchObject({ code: "NOT_INITIALIZED" });
});

test("a leader is opened, the others join it and are opened", async () => {
  expect((await unsealNode(nodeAt(0), keys.shares)).outcome).toBe("updated");
  for (const node of nodes.slice(1)) {
    expect((await joinCluster(node, leader())).outcome).toBe("created");
    expect((await unsealNode(node, keys.shares)).outcome).toBe("updated");
  }
});

test("joining and opening again changes nothing", async () => {
  for (const node of nodes) {
    expect((await joinCluster(node, leader())).outcome).toBe("unchanged");
    expect((await unsealNode(node, keys.shares)).outcome).toBe("unchanged");
  }
});

test("all nodes are of one store, which knows them", async () => {
  const states = await Promise.all(nodes.map((node) => node.nodeState()));
  expect(new Set(states.map(({ clusterId }) => clusterId)).size).toBe(1);
  expect(states[0]?.clusterId).toBeString();
  await waitFor(
    async () => {
      const found = await nodeAt(0).read(keys.rootToken, "sys/storage/raft/configuration");
      const ids = ["store-0", "store-1", "store-2"];
      return ids.every((id) => JSON.stringify(found).includes(`"node_id":"${id}"`)) || undefined;
    },
    { deadlineMs: 10_000, what: "three members" },
  );
});

test("a follower takes the set-up, too", async () => {
  const session = { admin: nodeAt(2), token: keys.rootToken };
  expect((await ensureKvMount(session, "secret")).outcome).toBe("created");
  expect((await ensureKvMount(session, "secret")).outcome).toBe("unchanged");
});

test("a node that has just joined stays sealed by a wrong share, and opens by the right ones", async () => {
  const late = await startOpenBao({ storage: "raft", nodeId: "store-3", initialise: false });
  servers.push(late);
  const node = administer(late.address);
  await joinCluster(node, leader());
  const shares = [wrongShare(keys.shares), ...keys.shares.slice(0, 1)];
  const error = await unsealNode(node, shares).catch((it: unknown) => it);
  // The server does not say that one is wrong here: it counts two as one.
  expect(error).toMatchObject({ code: "SHARES_INSUFFICIENT" });
  expect(await node.nodeState()).toMatchObject({ sealed: true, progress: 0 });
  expect((await unsealNode(node, keys.shares)).outcome).toBe("updated");
});
