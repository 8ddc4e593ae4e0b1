import { type ExactJson, isJsonObject } from "@svc/vault";
import type { StoreSession } from "./store-session.ts";

/** A node in the configuration of a Raft cluster. */
export interface RaftMember {
  readonly nodeId: string;
  /** Host and port of its cluster address. */
  readonly address: string;
  readonly leader: boolean;
  readonly voter: boolean;
}

/**
 * The nodes of the cluster, as the node that answers knows them; empty where the storage is no Raft.
 * @throws VaultError
 */
export async function raftMembers({ admin, token }: StoreSession): Promise<readonly RaftMember[]> {
  const answer = await admin.read(token, "sys/storage/raft/configuration");
  const config = answer?.["config"];
  const servers = isJsonObject(config) ? config["servers"] : undefined;
  return Array.isArray(servers) ? servers.filter(isJsonObject).map(memberOf) : [];
}

function memberOf(server: Readonly<Record<string, ExactJson>>): RaftMember {
  return {
    nodeId: String(server["node_id"] ?? ""),
    address: String(server["address"] ?? ""),
    leader: server["leader"] === true,
    voter: server["voter"] === true,
  };
}
