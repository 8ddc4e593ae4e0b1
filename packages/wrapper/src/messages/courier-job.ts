import type { HintedSecret, PermitSaying } from "@svc/protocol";
import { agentTarget } from "../agent/agent-target.ts";
import type { WrapperSettings } from "../settings.ts";

/** The task of a courier. Plain data: it travels in the job. */
export type CourierJob =
  | DeliverJob
  | CheckJob
  | RefreshJob
  /** Serves the health port until a client sends a working token. */
  | { readonly kind: "unseal" }
  | PermitJob
  | SubscribeJob
  /** Ends the token that the wrapper has logged in for. */
  | { readonly kind: "revoke" };

/** Fetches the secrets and becomes the program. */
export interface DeliverJob {
  readonly kind: "deliver";
  /** True if the courier waits after the fetch until the supervisor lets it continue. */
  readonly waits: boolean;
  /**
   * The running program's values: if the new ones are equal, the courier ends and leaves that
   * program alone.
   */
  readonly unlessDigest?: string;
  /** The versions of the program that runs, or ran last: with an older one the courier fails. */
  readonly notBefore?: readonly WatchedPath[];
}

/**
 * The first delivery, and each with nothing else running. With an agent it waits for its
 * registration, and for the supervisor if that becomes the program itself.
 */
export function startJob({ agent, supervise }: WrapperSettings): DeliverJob {
  return { kind: "deliver", waits: supervise === "never" || agentTarget(agent) !== undefined };
}

/**
 * Renews due tokens and leases, and checks secrets for changes. It reads a value only if it must.
 */
export interface CheckJob {
  readonly kind: "check";
  readonly token: TokenCare;
  /** The leases that are due. */
  readonly leases: readonly DueLease[];
  readonly watched: readonly WatchedPath[];
  /** The digest of the program's values. */
  readonly digest: string;
  /** True if an older version is a change, and not a standby node that is behind. */
  readonly mayGoBack: boolean;
}

/** The action for the token. */
export type TokenCare =
  /** It lives long enough, or this wrapper does not renew it. */
  | { readonly kind: "leave" }
  /** Nothing is known about it yet. */
  | { readonly kind: "look up" }
  | {
      readonly kind: "renew";
      readonly renewable: boolean;
      readonly own: boolean;
      /** Its lifetime when it was new, or right after a renewal. */
      readonly fullTtlMs: number;
    };

/** Writes new values into the running program's region. */
export interface RefreshJob {
  readonly kind: "refresh";
  /** The region's length in bytes. */
  readonly lengthBytes: number;
  /** The variables that the program was started with: it needs all of them. */
  readonly variables: readonly string[];
  /** The generation that the supervisor has pointed the program at; 0 if it points nothing. */
  readonly pointedAt: number;
  readonly unlessDigest?: string;
  readonly notBefore?: readonly WatchedPath[];
}

/** Asks the operator for a permit to replace the program, or tells it that the rotation is over. */
export interface PermitJob {
  readonly kind: "permit";
  readonly say: PermitSaying;
  /** Until a secret of the program is worth nothing; absent if none expires. */
  readonly expiresInMs?: number;
}

/** Subscribes to the operator's hints. */
export interface SubscribeJob {
  readonly kind: "subscribe";
  /** The port at which the health server listens. */
  readonly port: number;
  /** The key of the hints' MACs, in hexadecimal digits. */
  readonly key: string;
  readonly secrets: readonly HintedSecret[];
}

/** A lease to be renewed. */
export interface DueLease {
  readonly id: string;
  readonly path: string;
  /** As long as it was given out for. */
  readonly durationMs: number;
}

/** A secret whose changes are looked for: of a KV engine, or of a file. */
export interface WatchedPath {
  readonly path: string;
  /** The version that the program has; absent if the engine counts none. */
  readonly version?: number;
  /** When that version was written: a vault that was restored counts from an older one again. */
  readonly createdTime?: string;
  /** True if the settings name this version: then only its end is of interest. */
  readonly pinned?: true;
  /**
   * `metadata` reads no value, and needs a policy that allows it. `file` reads the file, which
   * costs no vault anything.
   */
  readonly by: "metadata" | "values" | "file";
  /** A keyed digest of a file's fields, as `SecretsState` has one of all. */
  readonly digest?: string;
}
