import type { KubernetesLogin } from "./kubernetes-role.ts";
import type { KvMount } from "./kv-secret.ts";
import type { IssuedLease, LeasedSecret } from "./leases.ts";
import type { PolicyRule } from "./policy.ts";
import type { RandomNames } from "./random-names.ts";
import { isAlive, type Token } from "./tokens.ts";

/** Everything the store knows. It lives in memory only and goes with the process. */
export interface StoreState {
  sealed: boolean;
  readonly rootToken: string;
  /** 32 bytes in base64. */
  readonly unsealKey: string;
  readonly clusterId: string;
  readonly clusterName: string;
  readonly mounts: ReadonlyMap<string, KvMount>;
  readonly tokens: Map<string, Token>;
  readonly policies: ReadonlyMap<string, readonly PolicyRule[]>;
  /** Undefined when no kubernetes login is offered. */
  readonly kubernetes: KubernetesLogin | undefined;
  readonly leased: ReadonlyMap<string, LeasedSecret>;
  readonly leases: Map<string, IssuedLease>;
  leasesIssued: number;
  /** The source of random names, so that a test can make them predictable. */
  readonly random: RandomNames;
}

/** The live token with this id; an expired one is forgotten on the way. */
export function findToken(state: StoreState, id: string, now: number): Token | undefined {
  const token = state.tokens.get(id);
  if (token === undefined || isAlive(token, now)) return token;
  revokeToken(state, id);
  return undefined;
}

/** Takes the token away with its children and its leases, as OpenBao's revocation tree does. */
export function revokeToken(state: StoreState, id: string): void {
  state.tokens.delete(id);
  for (const lease of state.leases.values()) {
    if (lease.owner === id) state.leases.delete(lease.id);
  }
  for (const child of [...state.tokens.values()]) {
    if (child.parent === id) revokeToken(state, child.id);
  }
}

/** The live lease with this id; one whose time or whose token is over is forgotten on the way. */
export function findLease(state: StoreState, id: string, now: number): IssuedLease | undefined {
  const lease = state.leases.get(id);
  if (lease === undefined) return undefined;
  if (lease.expiresMs > now && findToken(state, lease.owner, now) !== undefined) return lease;
  state.leases.delete(id);
  return undefined;
}
