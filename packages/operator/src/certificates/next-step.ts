import type { Authority, Generation } from "./generation.ts";
import type { Slot, StoredCertificates } from "./stored-certificates.ts";

/** The settings of a rotation. */
export interface RotationRules {
  /** DNS names that a certificate must have. */
  readonly names: readonly string[];
  /**
   * For how long a certificate is made, in milliseconds; it is replaced when a third of that is
   * left.
   */
  readonly lifeMs: number;
  /** For how long the API servers know an authority before its certificate is served. */
  readonly overlapMs: number;
  /** The same if the replicas' certificates are not known: the Secret is lost or spoilt. */
  readonly urgentOverlapMs: number;
}

/** The authorities that one webhook is called with. */
export interface WebhookTrust {
  readonly authorities: readonly Authority[];
  /** Whether there is anything else in its bundle. */
  readonly hasOther: boolean;
}

/** The facts for the decision of a step. */
export interface KnownCertificates {
  readonly stored: StoredCertificates;
  /** The CA bundle of each webhook of ours. */
  readonly trusts: readonly WebhookTrust[];
  /**
   * For how long each of them has had the next generation's authority, as far as this process has
   * seen.
   */
  readonly trustedForMs: number;
  /** In milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The next thing to do. */
export type RotationStep =
  /** Keep authorities that only the webhooks know: the Secret's content from now on. */
  | { readonly kind: "remember"; readonly stored: StoredCertificates }
  /** Make a generation and put it into the Secret as the next one. */
  | { readonly kind: "make"; readonly reason: string }
  /** Have the webhooks called with these authorities. */
  | { readonly kind: "publish"; readonly authorities: readonly Authority[] }
  /** Have the replicas serve the next generation: the Secret's content from now on. */
  | { readonly kind: "promote"; readonly stored: StoredCertificates }
  /** Nothing to do for so long, in milliseconds, unless something changes. */
  | { readonly kind: "wait"; readonly ms: number };

/**
 * More old authorities than rotations leave behind; each is valid no longer than the certificate
 * that it signed.
 */
const MOST_OLD = 8;
/** An installer makes the webhooks last, and from that moment on pods are asked about. */
const NO_WEBHOOK_MS = 1000;

/**
 * Decides a rotation step by step. If a certificate is needed the next one is made. Then the API
 * servers get its authority. Replicas serve it only when they have known that for a while. A
 * process that takes over at any point continues from there, because each step is seen in the
 * Secret and in the webhooks.
 */
export function nextStep(known: KnownCertificates, rules: RotationRules): RotationStep {
  const { stored, trusts, nowMs } = known;
  const authorities = trusted(stored, nowMs);
  const forgotten = forgottenAuthorities(known, authorities);
  if (forgotten.length > 0) {
    return { kind: "remember", stored: { ...stored, old: bounded([...stored.old, ...forgotten]) } };
  }
  const reason = reasonToReplace(stored.current, rules, nowMs);
  const next = goodNext(stored.next, rules, nowMs);
  if (reason !== undefined && next === undefined) return { kind: "make", reason };
  if (!trusts.every((trust) => isTrusting(trust, authorities))) {
    return { kind: "publish", authorities };
  }
  if (reason === undefined || next === undefined) {
    const ms = replaceAtMs(stored.current, rules) - nowMs;
    return { kind: "wait", ms: trusts.length === 0 ? Math.min(ms, NO_WEBHOOK_MS) : ms };
  }
  const leftMs = overlapOf(known, rules) - known.trustedForMs;
  return leftMs > 0
    ? { kind: "wait", ms: leftMs }
    : { kind: "promote", stored: promoted(known, next) };
}

/**
 * The authorities by which the API servers have to verify replicas: those of everything that is or
 * will be served.
 */
export function trusted(
  { current, next, old }: StoredCertificates,
  nowMs: number,
): readonly Authority[] {
  const all = [current, next].flatMap((slot) =>
    slot.kind === "usable" ? [slot.generation.authority] : [],
  );
  return living([...all, ...bounded(living(old, nowMs))], nowMs);
}

/** Why the current certificate has to be replaced; undefined if it need not be. */
function reasonToReplace(current: Slot, rules: RotationRules, nowMs: number): string | undefined {
  switch (current.kind) {
    case "empty":
      return "there is none";
    case "spoilt":
      return current.problem;
    case "usable": {
      const { generation } = current;
      const missing = missingName(generation, rules);
      if (generation.expiresMs <= nowMs) return "it has expired";
      if (missing !== undefined) return `it is not for ${missing}`;
      return nowMs >= replaceAtMs(current, rules) ? "a third of its life is left" : undefined;
    }
  }
}

/**
 * A third of its life before its end, and up to a twentieth earlier: not all certificates of a day
 * in one second.
 */
function replaceAtMs(current: Slot, { lifeMs }: RotationRules): number {
  if (current.kind !== "usable") return 0;
  const { id, expiresMs } = current.generation;
  const share = Number.parseInt(id.replaceAll(":", "").slice(0, 8), 16) / 2 ** 32;
  const earlyMs = (lifeMs / 20) * (Number.isNaN(share) ? 0 : share);
  return Math.round(expiresMs - lifeMs / 3 - earlyMs);
}

/**
 * A next one that is old itself, because there was no leader for weeks, would have to be replaced
 * at once.
 */
function goodNext(next: Slot, rules: RotationRules, nowMs: number): Generation | undefined {
  if (next.kind !== "usable") return undefined;
  const { generation } = next;
  const isFresh = generation.expiresMs - nowMs > rules.lifeMs / 3;
  return isFresh && missingName(generation, rules) === undefined ? generation : undefined;
}

function missingName({ names }: Generation, rules: RotationRules): string | undefined {
  return rules.names.find((name) => !names.includes(name));
}

/**
 * If the current certificate is lost, replicas go on serving it, or one before it: then only the
 * webhooks still know by which authorities.
 */
function forgottenAuthorities(
  { stored, trusts, nowMs }: KnownCertificates,
  authorities: readonly Authority[],
): readonly Authority[] {
  if (stored.current.kind === "usable") return [];
  const ids = new Set(authorities.map(({ id }) => id));
  const own = trusts.flatMap((trust) => trust.authorities.filter(({ isOwn }) => isOwn));
  return living(own, nowMs)
    .filter(({ id }) => !ids.has(id))
    .slice(0, MOST_OLD - living(stored.old, nowMs).length);
}

function promoted({ stored, nowMs }: KnownCertificates, next: Generation): StoredCertificates {
  const { current } = stored;
  const before = current.kind === "usable" ? [current.generation.authority] : [];
  return {
    current: { kind: "usable", generation: next },
    next: { kind: "empty" },
    old: bounded(living([...before, ...stored.old], nowMs)),
  };
}

function overlapOf({ stored, nowMs }: KnownCertificates, rules: RotationRules): number {
  const { current, old } = stored;
  if (current.kind === "usable") {
    // Clients already refuse a replica with an expired certificate.
    return current.generation.expiresMs > nowMs ? rules.overlapMs : 0;
  }
  // Without a valid authority no replica can serve: the very first start.
  return living(old, nowMs).length > 0 ? rules.urgentOverlapMs : 0;
}

function isTrusting(
  { authorities, hasOther }: WebhookTrust,
  wanted: readonly Authority[],
): boolean {
  const ids = new Set(authorities.map(({ id }) => id));
  return !hasOther && ids.size === wanted.length && wanted.every(({ id }) => ids.has(id));
}

/** Those that have not expired, each once. */
function living(authorities: readonly Authority[], nowMs: number): readonly Authority[] {
  const byId = new Map(authorities.map((authority) => [authority.id, authority]));
  return [...byId.values()].filter(({ expiresMs }) => expiresMs > nowMs);
}

/** The latest. */
function bounded(authorities: readonly Authority[]): readonly Authority[] {
  return authorities.toSorted((a, b) => b.expiresMs - a.expiresMs).slice(0, MOST_OLD);
}
