import { usualTime } from "./usual-time.ts";

/** A secret of a subscription. They are a list without an array, which saves a tenth. */
export interface KnownSecret {
  readonly path: WatchedPath;
  /** The version that the wrapper knows. */
  readonly version: number;
  /** The path's generation that the version belongs to; 0 until a look has come after it. */
  baseline: number;
  readonly next: KnownSecret | undefined;
}

/** The pod of a wrapper, and the port at which it takes hints. */
export interface SubscriptionParts {
  readonly uid: string;
  readonly address: string;
  readonly port: number;
  readonly tls: boolean;
}

/**
 * The subscription of a wrapper. A class with plain members: there are 100,000 of them. Times are
 * on the clock of `performance.now()`.
 */
export class Subscription {
  readonly uid: string;
  readonly address: string;
  readonly port: number;
  readonly tls: boolean;
  /** The first one. */
  secrets: KnownSecret | undefined = undefined;
  /** Another one of the same pod, at another port. */
  next: Subscription | undefined = undefined;
  keySlot = -1;
  /** Its place among all of them; -1 once it is over. */
  index = -1;
  renewedMs = 0;
  /** The last one that was sent. */
  sequence = 0;
  sentMs = Number.NEGATIVE_INFINITY;
  /** Nothing is sent to it before. */
  quietUntilMs = Number.NEGATIVE_INFINITY;
  /** When it is looked at apart from heartbeats; infinite if it is not. */
  timedMs = Number.POSITIVE_INFINITY;
  isQueued = false;
  isSending = false;
  /** How often `changed` was said since it became so. */
  toldChanged = 0;
  /** True if `changed` was said, and the wrapper has taken it. */
  knowsOfChange = false;
  /** In a row. */
  failures = 0;

  constructor({ uid, address, port, tls }: SubscriptionParts) {
    this.uid = uid;
    this.address = address;
    this.port = port;
    this.tls = tls;
  }
}

/** The secret of a subscription that is at a path. */
export function knownSecret({ secrets }: Subscription, path: WatchedPath): KnownSecret | undefined {
  let known = secrets;
  while (known !== undefined && known.path !== path) known = known.next;
  return known;
}

/** The newest version of a secret, as a look has found it. */
export interface FoundVersion {
  readonly version: number;
  /** Changes with everything that the vault says about the version. */
  readonly stamp: string;
  /** False if it is deleted or destroyed. */
  readonly isUsable: boolean;
}

/** A secret that wrappers use. Times are on the clock of `performance.now()`. */
export class WatchedPath {
  readonly mount: WatchedMount;
  /** Below the mount. */
  readonly name: string;
  readonly subscribers = new Set<Subscription>();
  /** Undefined if the vault has no such secret, or was not asked yet. */
  found: FoundVersion | undefined;
  /** Counts the changes of `found`: 0 before the first look. */
  generation = 0;
  /** The begin of the last look that succeeded. */
  lookedMs = Number.NEGATIVE_INFINITY;
  /** Not read by itself before: the vault refused it, or has no such secret. */
  skippedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(mount: WatchedMount, name: string) {
    this.mount = mount;
    this.name = name;
  }

  get dataPath(): string {
    return `${this.mount.text}/data/${this.name}`;
  }
}

/** Before the first one. */
const FIRST_SCAN_MS = 20;

/** A KV v2 engine that has such secrets. */
export class WatchedMount {
  readonly text: string;
  /** By their names. */
  readonly paths = new Map<string, WatchedPath>();
  /** Those for whose next look a subscriber waits. */
  readonly awaited = new Set<WatchedPath>();
  /** The secrets in it, as the last scan has found. */
  total: number | undefined;
  /** A scan is not tried before, because the vault has refused one. */
  scanRefusedUntilMs = Number.NEGATIVE_INFINITY;
  /** The time of a scan. */
  readonly scanTime = usualTime(FIRST_SCAN_MS);
  /** When `total` was learned. */
  scannedMs = Number.NEGATIVE_INFINITY;
  /** The time from one look at all of them to the next; undefined after a failure. */
  cycleMs: number | undefined;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Notes the finding of a look: undefined if there is no such secret. True if it is news for a
 * subscriber.
 */
export function noteFound(
  path: WatchedPath,
  found: FoundVersion | undefined,
  lookedMs: number,
): boolean {
  const before = path.found;
  const isSame =
    path.generation > 0 &&
    before?.version === found?.version &&
    before?.stamp === found?.stamp &&
    before?.isUsable === found?.isUsable;
  path.lookedMs = lookedMs;
  const isAwaited = path.mount.awaited.delete(path);
  if (isSame) return isAwaited;
  path.found = found;
  path.generation += 1;
  return true;
}
