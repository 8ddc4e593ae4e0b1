import { describe, expect, test } from "bun:test";
import { createVaultAdministration, type NodeState } from "@svc/vault";
import { standingOf } from "./await-standing.ts";
import type { SeenNode } from "./store-nodes.ts";

const admin = createVaultAdministration({
  address: "http://127.0.0.1:1",
  tls: { skipVerify: false },
});

const fresh: NodeState = {
  initialized: false,
  sealed: true,
  shares: 0,
  threshold: 0,
  progress: 0,
  sealType: "shamir",
  storageType: "raft",
  clusterId: undefined,
  version: "2.7.2",
};
const sealed: NodeState = { ...fresh, initialized: true, shares: 5, threshold: 3 };
const open: NodeState = { ...sealed, sealed: false, clusterId: "here" };
const pending = { silent: "is Pending" };

function podAt(index: number): SeenNode["pod"] {
  const name = `store-${index}`;
  const seen = { uid: "u", phase: "Running", containers: "c", claims: [] };
  return { ...seen, name, index, host: `${name}.store-internal.vault` };
}

function nodes(...states: readonly (SeenNode["state"] | undefined)[]): readonly SeenNode[] {
  return states.flatMap((state, index) =>
    state === undefined ? [] : [{ name: `store-${index}`, pod: podAt(index), admin, state }],
  );
}

describe("the standing of a store", () => {
  const rows: readonly (readonly [
    name: string,
    seen: readonly SeenNode[],
    standing: ReturnType<typeof standingOf>,
  ])[] = [
    ["of no pods is not known", nodes(), { missing: "there is none" }],
    ["of one fresh pod", nodes(fresh), { store: "uninitialised" }],
    ["of fresh pods only", nodes(fresh, fresh, fresh), { store: "uninitialised" }],
    [
      "is not known while one of fresh pods is silent: it may have the disk of an initialised store",
      nodes(fresh, pending, fresh),
      { missing: "store-1 is Pending" },
    ],
    [
      "is not known while the first is not there",
      nodes(undefined, fresh, fresh),
      { missing: "one before store-1 is not there" },
    ],
    [
      "is not known while one in the middle is not there",
      nodes(fresh, undefined, fresh),
      { missing: "one before store-2 is not there" },
    ],
    [
      "names every silent pod",
      nodes(pending, pending),
      { missing: "store-0 is Pending; store-1 is Pending" },
    ],
    [
      "is sealed by one sealed pod, with any others",
      nodes(undefined, fresh, pending, sealed),
      { store: "sealed", shares: 5, threshold: 3 },
    ],
    [
      "is unsealed by one pod that is",
      nodes(sealed, fresh, open, pending),
      { store: "unsealed", shares: 5, threshold: 3, clusterId: "here" },
    ],
  ];
  for (const [name, seen, standing] of rows) {
    test(name, () => expect(standingOf(seen)).toEqual(standing));
  }
});
