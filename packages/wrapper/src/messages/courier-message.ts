import type { HintSubscriptionAnswer, PermitAnswer } from "@svc/protocol";
import type { DeliveryMethod } from "@svc/settings";
import type { Failure } from "../errors.ts";
import type { UnsealAttempt } from "../health/wrapper-facts.ts";
import type { PlacedGeneration } from "../tracer/placement.ts";
import type { DueLease, WatchedPath } from "./courier-job.ts";

/** A courier's messages to the supervisor, one line of JSON each. It holds no secret. */
export type CourierMessage =
  /** A session stands in the new session region, and replaces the one before. */
  | { readonly kind: "session"; readonly lengthBytes: number; readonly token?: TokenLife }
  /** The region is filled; execve comes next, or the wait before it. */
  | ({ readonly kind: "fetched" } & FetchedSecrets)
  /** The program has the fetched values already. */
  | ({ readonly kind: "unchanged" } & SecretsState)
  /** execve comes next. A message after this one is the failure of that execve. */
  | { readonly kind: "becoming"; readonly delivery: DeliveryMethod; readonly variables: number }
  | ({ readonly kind: "checked" } & CheckResult)
  /** The running program's region holds new values, and these are their offsets. */
  | ({ readonly kind: "refreshed"; readonly placed: PlacedGeneration } & SecretsState)
  /** The operator's answer about a permit. */
  | { readonly kind: "permit"; readonly answer: PermitAnswer }
  /** The operator's answer to a subscription to hints. */
  | { readonly kind: "subscribed"; readonly answer: HintSubscriptionAnswer }
  /** The vault did not answer as it should, and is asked again. */
  | { readonly kind: "retrying"; readonly failure: Failure }
  | { readonly kind: "revoked" }
  | { readonly kind: "unseal attempt"; readonly result: UnsealAttempt }
  | { readonly kind: "failed"; readonly failures: readonly Failure[] };

/** How long a token lives from now on. */
export interface TokenLife {
  /** 0 if it never expires. */
  readonly ttlMs: number;
  readonly renewable: boolean;
  /** True if the wrapper has logged in for it, and may end it. */
  readonly own: boolean;
  /** A batch token: the vault keeps it nowhere, so only time ends it. */
  readonly isBatch?: true;
}

/** A lease that was given out, or renewed. */
export interface LeaseLife extends DueLease {
  readonly ttlMs: number;
  readonly renewable: boolean;
}

/** Facts about secrets, without their values. */
export interface SecretsState {
  readonly watched: readonly WatchedPath[];
  readonly leases: readonly LeaseLife[];
  /** A keyed digest of the variables and values, leased ones left out. */
  readonly digest: string;
}

/** The result of a delivery. */
export interface FetchedSecrets extends SecretsState {
  /** The names under which the secrets are delivered. */
  readonly variables: readonly string[];
  /** The region's length in bytes. */
  readonly lengthBytes: number;
  /** True if that took a login. */
  readonly loggedIn: boolean;
  /** False if the courier could not lock its own memory. */
  readonly memoryLocked: boolean;
}

/** The result of a check. */
export interface CheckResult {
  /** If it was renewed or looked up, or a login brought a new one. */
  readonly token?: TokenLife;
  /** True if the token is a new one and the leases of the old one go with that. */
  readonly loggedIn: boolean;
  readonly renewedLeases: readonly LeaseLife[];
  /** Leases that cannot be kept, with the reason. */
  readonly endingLeases: readonly EndingLease[];
  readonly watched: readonly WatchedPath[];
  /** True if the values differ from the program's. */
  readonly changed: boolean;
  /** True if a secret has an older version than the program: a standby node may be behind. */
  readonly older: boolean;
  /** Failed checks and renewals. The others of the same courier still count. */
  readonly failures: readonly Failure[];
}

/** A lease that cannot be kept, and the variables that go with it. */
export interface EndingLease {
  readonly id: string;
  readonly path: string;
  readonly reason: string;
}

/** The bytes of a message. */
export function messageBytes(message: CourierMessage): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(message)}\n`);
}

/** Cuts messages out of a stream of bytes. */
export class MessageReader {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /**
   * The messages that are complete with these bytes. A torn last one means that its courier died.
   */
  take(bytes: Uint8Array): readonly CourierMessage[] {
    const lines = `${this.#rest}${this.#decoder.decode(bytes, { stream: true })}`.split("\n");
    this.#rest = lines.pop() ?? "";
    // Written by this program's own courier with messageBytes.
    return lines.map((line) => JSON.parse(line) as CourierMessage);
  }
}
