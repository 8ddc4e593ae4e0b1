import { memberReader, successEnvelope, textOf } from "../http/envelope.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";

/** A node's state: its seal, and the store behind it. */
export interface NodeState {
  readonly initialized: boolean;
  readonly sealed: boolean;
  /** Shares that the store was initialised with; 0 before that. */
  readonly shares: number;
  /** Shares needed; 0 before the initialisation. */
  readonly threshold: number;
  /** Shares that this node has been given since it was sealed, or since the last reset. */
  readonly progress: number;
  /** `shamir`, or the name of the automatic seal. */
  readonly sealType: string;
  /** For example `raft`; undefined if the server does not say. */
  readonly storageType: string | undefined;
  /** The same for all nodes of a store and for no other store; undefined while sealed. */
  readonly clusterId: string | undefined;
  readonly version: string;
}

/** Reads the answer of sys/seal-status, which sys/unseal gives too. */
export function readNodeState(request: VaultRequest, response: VaultResponse): NodeState {
  const body = successEnvelope(request, response);
  const reader = memberReader(request, body, "answer");
  return {
    initialized: reader.boolean("initialized"),
    sealed: reader.boolean("sealed"),
    shares: reader.number("n"),
    threshold: reader.number("t"),
    progress: reader.number("progress"),
    sealType: reader.string("type"),
    storageType: textOf(body.member("storage_type")),
    clusterId: textOf(body.member("cluster_id")),
    version: reader.string("version"),
  };
}
