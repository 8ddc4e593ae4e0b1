import { type Mapping, mapDescriptor, SyscallError, sizeAndMap, withRoom } from "@svc/kernel";
import { Secret, VaultError } from "@svc/vault";
import { failure, WrapperError } from "../errors.ts";
import { lockFailure } from "../lock-limit-message.ts";
import type { TokenLife } from "../messages/courier-message.ts";
import { digestKeyLength } from "../session.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { CourierContext } from "./courier-context.ts";
import { type HeldToken, lifeFromNow } from "./held-token.ts";
import { regionLock } from "./region-lock.ts";

/** The data that one courier passes to the next. */
export interface Session {
  /** Makes digests of values useless without it. */
  readonly digestKey: Uint8Array;
  readonly token?: Secret;
}

/**
 * Reads the session that began before; a new one without a token if none did.
 *
 * @throws WrapperError `TOKEN_UNREADABLE` if VAULT_TOKEN has bytes that a token cannot have,
 * `MEMORY_LOCK_LIMIT` if the limit of locked memory has no room for it.
 */
export function readSession(context: CourierContext): Session {
  const length = context.jobMessage.sessionLength;
  if (length === 0) return { digestKey: crypto.getRandomValues(new Uint8Array(digestKeyLength)) };
  const mapping = mapSession(context, length);
  try {
    const digestKey = mapping.bytes.slice(0, digestKeyLength);
    if (length === digestKeyLength) return { digestKey };
    return { digestKey, token: tokenOf(mapping.bytes.subarray(digestKeyLength)) };
  } finally {
    mapping.unmap();
  }
}

function mapSession(context: CourierContext, length: number): Mapping {
  const { session } = context.descriptors;
  try {
    return withRoom(regionLock(context), () => mapDescriptor(session, length, "read"));
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw new WrapperError([lockFailure("read the token", error, length)], error);
  }
}

/** A token that no courier has written is VAULT_TOKEN. */
function tokenOf(bytes: Uint8Array): Secret {
  try {
    return new Secret(bytes);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    throw new WrapperError([failure("TOKEN_UNREADABLE", `VAULT_TOKEN: ${error.message}`)], error);
  }
}

/** Hands a token on when a login has brought it, and the digest key if it is new. */
export function keepSession(
  context: CourierContext,
  session: Session,
  held: HeldToken | undefined,
): void {
  const { settings, sessionLength } = context.jobMessage;
  if (rotationOf(settings).way === undefined) return;
  if (held?.life !== undefined) {
    const { token, life } = held;
    beginSession(context, { ...session, token }, lifeFromNow(life, performance.now()));
  } else if (sessionLength === 0) beginSession(context, session);
}

/**
 * Writes a session to the new region, once, and says so.
 *
 * @throws WrapperError `MEMORY_LOCK_LIMIT` if not even that may be locked.
 */
export function beginSession(context: CourierContext, session: Session, token?: TokenLife): void {
  const lengthBytes = writeSession(context, session);
  context.say({ kind: "session", lengthBytes, ...(token === undefined ? {} : { token }) });
}

function writeSession(context: CourierContext, { digestKey, token }: Session): number {
  const { jobMessage, descriptors } = context;
  const length = digestKeyLength + (token?.byteLength ?? 0);
  const memory = { fd: descriptors.newSession, kind: jobMessage.memoryKind };
  try {
    const mapping = sizeAndMap(memory, length, regionLock(context));
    mapping.bytes.set(digestKey);
    token?.writeTo(mapping.bytes.subarray(digestKeyLength));
    mapping.unmap();
    return length;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw new WrapperError([lockFailure("protect the token", error, length)], error);
  }
}
