import type { NodeState } from "@svc/vault";

/** The standing of a store, all its nodes together. */
export type StoreStanding =
  | { readonly store: "uninitialised" }
  | {
      readonly store: "sealed";
      readonly shares: number;
      readonly threshold: number;
    }
  | {
      readonly store: "unsealed";
      readonly shares: number;
      readonly threshold: number;
      /** Undefined if the server does not say. */
      readonly clusterId: string | undefined;
    };

/**
 * The state of a store according to its nodes. One that is initialised is enough: the others are
 * yet to join.
 * @throws RangeError if there is no node
 */
export function storeStanding(nodes: readonly NodeState[]): StoreStanding {
  if (nodes.length === 0) throw new RangeError("store standing: there is no node");
  const open = nodes.find(({ initialized, sealed }) => initialized && !sealed);
  if (open !== undefined) {
    const { shares, threshold, clusterId } = open;
    return { store: "unsealed", shares, threshold, clusterId };
  }
  const closed = nodes.find(({ initialized }) => initialized);
  if (closed === undefined) return { store: "uninitialised" };
  return { store: "sealed", shares: closed.shares, threshold: closed.threshold };
}
