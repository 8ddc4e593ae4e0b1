import { addressGroup } from "./address-group.ts";

/**
 * Most connections at a time. A client that opens 3,000 a second evicts its own after 85 ms. That
 * is long enough for a handshake on a busy machine, should a probe come from the same address.
 */
export const MAX_CONNECTIONS = 256;

/** Descriptors that the wrapper needs for everything else, a rotation included. */
const OTHER_DESCRIPTORS = 28;
/** With fewer connections no probe could be told from a flood. */
const LEAST_CONNECTIONS = 4;

/** The longest message of a TLS handshake that rustls takes, and the longest head of a request. */
const LOCKED_BYTES_A_CONNECTION = 64 << 10;

/**
 * The connections that a process may have at a time, by its RLIMIT_NOFILE. Pure.
 *
 * @param lockBytes RLIMIT_MEMLOCK, if the memory of connections is locked: with
 * SVC_REQUIRE_MLOCK=true a process ends that needs more
 */
export function mostConnections(descriptorLimit: number, lockBytes?: number): number {
  const left = descriptorLimit - OTHER_DESCRIPTORS;
  const most = Math.max(LEAST_CONNECTIONS, Math.min(MAX_CONNECTIONS, left));
  if (lockBytes === undefined) return most;
  return Math.max(1, Math.min(most, Math.floor(lockBytes / LOCKED_BYTES_A_CONNECTION)));
}

/** An open connection. */
export interface Visitor {
  /** True while its request is being answered: it is never sent away for another one. */
  readonly isAnswering: boolean;
}

/** The decision about a connection. */
export type Entry<V> =
  | { readonly kind: "in" /** Has to go for it. */; readonly evicted?: V }
  /** There is no room, and no connection that can be evicted. */
  | { readonly kind: "refused" };

/**
 * Decides which connections stay open, so that one client cannot block others. If there is no room,
 * the address with the most connections gives its oldest up. The node's own probes are never
 * evicted.
 * Pure except for its count.
 */
export class Visitors<V extends Visitor> {
  readonly #isNode: (group: string) => boolean;
  readonly #most: number;
  /** The oldest first, in each group. */
  readonly #groups = new Map<string, Set<V>>();
  readonly #groupOf = new Map<V, string>();

  /**
   * @param isNode whether a group of addresses is the node's, from which the kubelet probes.
   * @param most how many may be inside at a time.
   */
  constructor(isNode: (group: string) => boolean, most: number = MAX_CONNECTIONS) {
    this.#isNode = isNode;
    this.#most = most;
  }

  get size(): number {
    return this.#groupOf.size;
  }

  [Symbol.iterator](): IterableIterator<V> {
    return this.#groupOf.keys();
  }

  /** Admits a connection. The evicted connection is closed when this returns. */
  enter(visitor: V, address: string): Entry<V> {
    const group = addressGroup(address);
    const evicted = this.size < this.#most ? undefined : this.#toEvictFor(group);
    if (evicted !== undefined) this.leave(evicted);
    else if (this.size >= this.#most) return { kind: "refused" };
    const own = this.#groups.get(group) ?? new Set();
    this.#groups.set(group, own.add(visitor));
    this.#groupOf.set(visitor, group);
    return evicted === undefined ? { kind: "in" } : { kind: "in", evicted };
  }

  leave(visitor: V): void {
    const group = this.#groupOf.get(visitor);
    if (group === undefined) return;
    this.#groupOf.delete(visitor);
    const others = this.#groups.get(group);
    others?.delete(visitor);
    if (others?.size === 0) this.#groups.delete(group);
  }

  /**
   * The oldest of the largest group that is not being answered; the node's own only for the node.
   */
  #toEvictFor(newcomer: string): V | undefined {
    const groups = [...this.#groups.keys()].filter(
      (group) => group === newcomer || !this.#isNode(group),
    );
    const bySize = groups.toSorted((a, b) => this.#countOf(b) - this.#countOf(a));
    for (const group of bySize) {
      for (const visitor of this.#groups.get(group) ?? []) {
        if (!visitor.isAnswering) return visitor;
      }
    }
    return undefined;
  }

  #countOf(group: string): number {
    return this.#groups.get(group)?.size ?? 0;
  }
}
