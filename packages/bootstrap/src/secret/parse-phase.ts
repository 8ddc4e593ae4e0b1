import { quoted } from "@svc/settings";
import { Secret, VaultError } from "@svc/vault";
import {
  annotationNames,
  annotations,
  revokingText,
  rootTokenKey,
  secretType,
  shareKey,
} from "./secret-format.ts";
import type { SecretObject } from "./secret-object.ts";
import type {
  Cipher,
  ClaimMark,
  Holding,
  KeyCiphers,
  PodMark,
  SecretPhase,
  StoredKeys,
} from "./secret-phase.ts";

/** The most shares that Shamir's scheme over bytes can make. */
const MOST_SHARES = 255;

/**
 * The phase of a Secret; undefined means that there is none. It never throws: another tool's Secret
 * is `foreign`.
 */
export function parsePhase(object: SecretObject | undefined): SecretPhase {
  if (object === undefined) return { phase: "absent" };
  try {
    requireOurs(object);
    return parseOurs(object);
  } catch (error) {
    if (error instanceof Foreign) return { phase: "foreign", why: error.message };
    throw error;
  }
}

/** The reason why a Secret is not this command's; it does not leave this file. */
class Foreign extends Error {}

function requireOurs({ type, immutable, deleting, annotations: noted }: SecretObject): void {
  if (type !== secretType) throw new Foreign(`its type is ${quoted(type)}, not "${secretType}"`);
  if (deleting) throw new Foreign("it is being deleted");
  // Keys that are there are only read.
  if (immutable && noted[annotations.phase] !== "initialised") throw new Foreign("it is immutable");
}

function parseOurs(object: SecretObject): SecretPhase {
  if (isUntouched(object)) return { phase: "empty" };
  const phase = textOf(object, annotations.phase);
  switch (phase) {
    case "reserved":
    case "initialising":
    case "resetting":
      return parseHolding(object, phase);
    case "initialised":
      return parseKeys(object);
  }
  throw new Foreign(`its ${annotations.phase} is ${quoted(phase)}, none of this command's`);
}

/** As a manifest makes it, so that this command needs no right to create any Secret. */
function isUntouched({ data, annotations: noted }: SecretObject): boolean {
  return data.size === 0 && annotationNames.every((name) => noted[name] === undefined);
}

/** Any writer of the Secret may choose it, and people read it. */
const MOST_HOLDER = 300;

function parseHolding(object: SecretObject, phase: Holding["phase"]): Holding {
  // The author of an entry wants to keep it.
  if (object.data.size > 0) throw new Foreign(`it is ${phase}, and there is data in it`);
  const holder = textOf(object, annotations.holder);
  if (!/^[ -~]+$/.test(holder) || holder.length > MOST_HOLDER) {
    throw new Foreign(`its ${annotations.holder} is ${quoted(holder)}, not the name of a run`);
  }
  const held = {
    holder,
    sinceMs: timeOf(object, annotations.reservedAt),
    resets: resetsOf(object),
  };
  switch (phase) {
    case "reserved":
      return { ...held, phase };
    case "initialising": {
      const shares = numberOf(object, annotations.shares, 1, MOST_SHARES);
      const threshold = numberOf(object, annotations.threshold, 1, shares);
      const beside = object.annotations[annotations.beside];
      return { ...held, phase, pod: podOf(object), shares, threshold, beside };
    }
    case "resetting":
      return { ...held, phase, pod: podOf(object), claim: claimOf(object) };
  }
}

function podOf(object: SecretObject): PodMark {
  const text = textOf(object, annotations.pod);
  const [name, uid, containers, ...more] = text.split("/");
  if (name === undefined || uid === undefined || containers === undefined || more.length > 0) {
    throw new Foreign(`its ${annotations.pod} is ${quoted(text)}, no pod`);
  }
  return { name, uid, containers: containers === "" ? undefined : containers };
}

function claimOf(object: SecretObject): ClaimMark {
  const text = textOf(object, annotations.claim);
  const [name, uid, ...more] = text.split("/");
  if (name === undefined || uid === undefined || more.length > 0) {
    throw new Foreign(`its ${annotations.claim} is ${quoted(text)}, no claim`);
  }
  return { name, uid };
}

const MOST_RESETS = 999;

function resetsOf(object: SecretObject): number {
  const isNoted = object.annotations[annotations.resets] !== undefined;
  return isNoted ? numberOf(object, annotations.resets, 1, MOST_RESETS) : 0;
}

function parseKeys(object: SecretObject): StoredKeys {
  const count = numberOf(object, annotations.shares, 1, MOST_SHARES);
  const threshold = numberOf(object, annotations.threshold, 1, count);
  if (object.data.size === 0) throw new Foreign("its keys were taken out");
  const shares = Array.from({ length: count }, (_, index) => shareOf(object, index));
  const rootToken = secretOf(object, rootTokenKey);
  // A client that added an entry may also have removed one.
  const expected = count + (rootToken === undefined ? 0 : 1);
  if (object.data.size !== expected) {
    throw new Foreign(`there are ${object.data.size} entries in its data, not ${expected}`);
  }
  return {
    ...{ phase: "initialised", shares, threshold, rootToken },
    encryption: ciphersOf(object),
    revoking: isRevoking(object),
    clusterId: object.annotations[annotations.clusterId],
    configured: object.annotations[annotations.configured],
    createdMs: timeOf(object, annotations.initialisedAt),
    resets: resetsOf(object),
  };
}

function ciphersOf(object: SecretObject): KeyCiphers {
  const shares = cipherOf(object, annotations.sharesEncrypted);
  const rootToken = cipherOf(object, annotations.rootTokenEncrypted);
  return {
    ...(shares !== undefined && { shares }),
    ...(rootToken !== undefined && { rootToken }),
  };
}

function cipherOf(object: SecretObject, name: string): Cipher | undefined {
  const text = object.annotations[name];
  if (text === undefined || text === "pgp" || text === "age") return text;
  throw new Foreign(`its ${name} is ${quoted(text)}, neither pgp nor age`);
}

function isRevoking(object: SecretObject): boolean {
  const text = object.annotations[annotations.rootToken];
  if (text === undefined || text === revokingText) return text !== undefined;
  throw new Foreign(`its ${annotations.rootToken} is ${quoted(text)}, not ${revokingText}`);
}

function shareOf(object: SecretObject, index: number): Secret {
  const share = secretOf(object, shareKey(index));
  if (share === undefined) throw new Foreign(`its data has no ${shareKey(index)}`);
  return share;
}

function secretOf({ data }: SecretObject, key: string): Secret | undefined {
  const bytes = data.get(key);
  if (bytes === undefined) return undefined;
  try {
    const secret = new Secret(bytes);
    // White space around it was dropped: the bytes of a later write would differ.
    if (secret.byteLength === bytes.length) return secret;
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
  }
  throw new Foreign(`its ${key} is not of visible ASCII characters`);
}

function textOf(object: SecretObject, name: string): string {
  const text = object.annotations[name];
  if (text === undefined) throw new Foreign(`it has no annotation ${name}`);
  return text;
}

function timeOf(object: SecretObject, name: string): number {
  const text = textOf(object, name);
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new Foreign(`its ${name} is ${quoted(text)}, no time`);
  return ms;
}

function numberOf(object: SecretObject, name: string, least: number, most: number): number {
  const text = textOf(object, name);
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Foreign(`its ${name} is ${quoted(text)}, not a number from ${least} to ${most}`);
}
