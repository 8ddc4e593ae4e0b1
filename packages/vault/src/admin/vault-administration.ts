import type { VaultClientOptions } from "../http/client-options.ts";
import { createCaller } from "../http/create-caller.ts";
import {
  type FieldWrite,
  readFields,
  type StoredFields,
  writeFields,
} from "../kv/stored-fields.ts";
import { acceptsToken, revokeSelf } from "../tokens/token-operations.ts";
import type { Secret } from "../values/secret.ts";
import { type InitialisationRequest, type Initialised, initialise } from "./initialise.ts";
import type { NodeState } from "./node-state.ts";
import { type HealthState, health } from "./server-state.ts";
import { nodeState, resetUnseal, unseal } from "./unseal.ts";

/** The node that another one joins. */
export interface RaftLeader {
  /** Its API's base URL, as the joining node reaches it. */
  readonly address: string;
  /** PEM certificates to verify it with; the joining node's own trust if absent. */
  readonly caPem?: string | undefined;
}

/**
 * A store administrator's operations, at one node. It keeps no token and no share.
 *
 * Every operation rejects with `VaultError` only. It is apart from `VaultClient`, so that the
 * wrapper is made without it.
 */
export interface VaultAdministration {
  /** The node's base URL. */
  readonly address: string;
  /** The state of the node that answers; one try only. */
  health(): Promise<HealthState>;
  /** Seal, shares and progress of this node; one try only. */
  nodeState(): Promise<NodeState>;
  /** Initialises the store; one try only. */
  initialise(wanted: InitialisationRequest): Promise<Initialised>;
  /** Gives this node a key share. */
  unseal(share: Secret): Promise<NodeState>;
  /** Has this node forget the key shares that it was given. */
  resetUnseal(): Promise<NodeState>;
  /** Has this node join the cluster of another one; no harm if it is in it. */
  joinRaft(leader: RaftLeader): Promise<void>;
  /** The data stored at a path; undefined if there is none. */
  read(token: Secret, path: string): Promise<StoredFields | undefined>;
  /** Writes fields to a path; the server decides about other fields. */
  write(write: FieldWrite): Promise<void>;
  /** True if the store takes a token; false if the store itself refuses it. */
  acceptsToken(token: Secret): Promise<boolean>;
  /** Ends the token and all its leases. */
  revokeSelf(token: Secret): Promise<void>;
}

/**
 * Makes the administration of one node; nothing is sent before the first operation.
 * @throws VaultError `INVALID_INPUT` when the address cannot be used
 */
export function createVaultAdministration(options: VaultClientOptions): VaultAdministration {
  const caller = createCaller(options);
  return {
    address: caller.connection.address,
    health: () => health(caller),
    nodeState: () => nodeState(caller),
    initialise: (wanted) => initialise(caller, wanted),
    unseal: (share) => unseal(caller, share),
    resetUnseal: () => resetUnseal(caller),
    joinRaft: (leader) => writeFields(caller, joinOf(leader)),
    read: (token, path) => readFields(caller, token, path),
    write: (write) => writeFields(caller, write),
    acceptsToken: (token) => acceptsToken(caller, token),
    revokeSelf: (token) => revokeSelf(caller, token),
  };
}

function joinOf({ address, caPem }: RaftLeader): FieldWrite {
  const trust = caPem === undefined ? {} : { leader_ca_cert: caPem };
  return { path: "sys/storage/raft/join", fields: { leader_api_addr: address, ...trust } };
}
