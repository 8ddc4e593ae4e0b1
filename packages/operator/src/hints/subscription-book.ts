import type { HintedSecret } from "@svc/protocol";
import { kvPlaceOf } from "@svc/vault";
import { type KeySlots, keySlots } from "./key-slots.ts";
import {
  knownSecret,
  Subscription,
  type SubscriptionParts,
  WatchedMount,
  WatchedPath,
} from "./subscription.ts";

/** The most that a replica keeps. */
export interface BookLimits {
  readonly subscriptions: number;
  readonly paths: number;
  readonly ofPod: number;
}

/** Enough for the largest clusters; a pod has a port for each container. */
export const bookLimits: BookLimits = { subscriptions: 200_000, paths: 50_000, ofPod: 16 };

/** A subscription as it was asked for, with its pod's proven facts. */
export interface WantedSubscription extends SubscriptionParts {
  readonly key: string;
  readonly secrets: readonly HintedSecret[];
}

/** The subscriptions of a replica, the secrets that they name, and nothing of it on a disk. */
export class SubscriptionBook {
  readonly #limits: BookLimits;
  readonly #keys: KeySlots = keySlots();
  readonly #byPod = new Map<string, Subscription>();
  /** The order of heartbeats. */
  readonly #all: Subscription[] = [];
  readonly #mounts = new Map<string, WatchedMount>();
  /** Called for a mount that is new here. */
  readonly #onMount: (mount: WatchedMount) => void;
  #paths = 0;

  constructor(onMount: (mount: WatchedMount) => void, limits: BookLimits = bookLimits) {
    this.#onMount = onMount;
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.length;
  }

  get paths(): number {
    return this.#paths;
  }

  mounts(): Iterable<WatchedMount> {
    return this.#mounts.values();
  }

  /** The one at a place from 0. */
  at(index: number): Subscription | undefined {
    return this.#all[index];
  }

  /** The subscription of a pod at one of its ports. */
  find(uid: string, port: number): Subscription | undefined {
    let found = this.#byPod.get(uid);
    while (found !== undefined && found.port !== port) found = found.next;
    return found;
  }

  keyOf({ keySlot }: Subscription): Uint8Array {
    return this.#keys.at(keySlot);
  }

  /**
   * Keeps a subscription, in the place of an earlier one of the same pod and port. A text says why
   * it cannot.
   */
  put(wanted: WantedSubscription, nowMs: number): Subscription | string {
    const before = this.find(wanted.uid, wanted.port);
    const full = this.#fullness(wanted, before);
    if (full !== undefined) return full;
    const subscription = new Subscription(wanted);
    subscription.renewedMs = nowMs;
    subscription.keySlot = this.#keys.put(wanted.key);
    for (const secret of wanted.secrets) this.#know(subscription, secret, nowMs);
    if (before !== undefined) {
      keepUntold(before, subscription);
      this.drop(before);
    }
    subscription.index = this.#all.push(subscription) - 1;
    subscription.next = this.#byPod.get(wanted.uid);
    this.#byPod.set(wanted.uid, subscription);
    return subscription;
  }

  /** Forgets a subscription, and the secrets that no other one names. */
  drop(subscription: Subscription): void {
    if (subscription.index === -1) return;
    this.#unlink(subscription);
    const last = this.#all.pop();
    if (last !== undefined && last !== subscription) {
      this.#all[subscription.index] = last;
      last.index = subscription.index;
    }
    subscription.index = -1;
    this.#keys.drop(subscription.keySlot);
    for (let known = subscription.secrets; known !== undefined; known = known.next) {
      this.#leave(known.path, subscription);
    }
  }

  clear(): void {
    for (const subscription of [...this.#all]) this.drop(subscription);
  }

  #fullness(
    { uid, secrets }: WantedSubscription,
    before: Subscription | undefined,
  ): string | undefined {
    const { subscriptions, paths, ofPod } = this.#limits;
    if (before === undefined && this.size >= subscriptions) {
      return `this replica has ${subscriptions} subscriptions, and takes no more`;
    }
    let ofThisPod = before === undefined ? 1 : 0;
    for (let it = this.#byPod.get(uid); it !== undefined; it = it.next) ofThisPod += 1;
    if (ofThisPod > ofPod) return `a pod has ${ofPod} subscriptions at most`;
    const added = secrets.filter(({ path }) => this.#path(path) === undefined).length;
    return this.#paths + added > paths
      ? `this replica watches ${paths} secrets, and takes no more`
      : undefined;
  }

  #path(text: string): WatchedPath | undefined {
    const place = kvPlaceOf(text);
    return place && this.#mounts.get(place.mount)?.paths.get(place.name);
  }

  #know(subscription: Subscription, { path: text, version }: HintedSecret, nowMs: number): void {
    const path = this.#pathFor(text);
    if (path === undefined) return;
    path.subscribers.add(subscription);
    const isMatch = path.found?.version === version && path.lookedMs <= nowMs;
    const baseline = isMatch ? path.generation : 0;
    subscription.secrets = { path, version, baseline, next: subscription.secrets };
    if (!isMatch) path.mount.awaited.add(path);
  }

  #pathFor(text: string): WatchedPath | undefined {
    const place = kvPlaceOf(text);
    if (place === undefined) return undefined;
    const known = this.#mounts.get(place.mount);
    const mount = known ?? new WatchedMount(place.mount);
    const path = mount.paths.get(place.name) ?? new WatchedPath(mount, place.name);
    if (!mount.paths.has(place.name)) this.#paths += 1;
    mount.paths.set(place.name, path);
    this.#mounts.set(place.mount, mount);
    if (known === undefined) this.#onMount(mount);
    return path;
  }

  #leave(path: WatchedPath, subscription: Subscription): void {
    const { mount, name, subscribers } = path;
    subscribers.delete(subscription);
    if (subscribers.size > 0 || !mount.paths.delete(name)) return;
    this.#paths -= 1;
    mount.awaited.delete(path);
    if (mount.paths.size === 0) this.#mounts.delete(mount.text);
  }

  #unlink(subscription: Subscription): void {
    const { uid, next } = subscription;
    let before = this.#byPod.get(uid);
    if (before === subscription) {
      if (next === undefined) this.#byPod.delete(uid);
      else this.#byPod.set(uid, next);
      return;
    }
    while (before !== undefined && before.next !== subscription) before = before.next;
    if (before !== undefined) before.next = next;
  }
}

/** A wrapper that renews before it has heard of a change hears of it all the same. */
function keepUntold(before: Subscription, after: Subscription): void {
  if (before.knowsOfChange) return;
  for (let secret = after.secrets; secret !== undefined; secret = secret.next) {
    const known = knownSecret(before, secret.path);
    const isUntold = known !== undefined && known.version === secret.version && known.baseline > 0;
    if (isUntold && secret.baseline > 0) secret.baseline = known.baseline;
  }
}
