import type { SecretBytes } from "@svc/secret-bytes";
import type { VaultErrorCode } from "../errors/error-catalogue.ts";
import type { Secret } from "../values/secret.ts";
import type { BodyPart } from "./transport.ts";

/** The description of a failed request in an error. */
export type RequestSubject = Pick<VaultRequest, "operation" | "path">;

/** One request of the vault API, before it becomes HTTP. */
export interface VaultRequest {
  /** For messages, for example `read secret/data/app`. */
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT";
  /** Percent-encoded, below `/v1/`, with the query. */
  readonly target: string;
  /** The vault path for `VaultError.path`. */
  readonly path: string;
  readonly token?: Secret | undefined;
  /** JSON; the secrets in it stay closed until it is sent. */
  readonly body?: readonly BodyPart[] | undefined;
  /** The server's own state is asked for outside of any namespace. */
  readonly rootNamespace?: boolean | undefined;
  /**
   * True if a second arrival would do harm. Bun's fetch sends a request again by itself, for every
   * method, when a kept connection breaks before the answer; so this one gets a separate
   * connection.
   */
  readonly arrivesOnce?: true;
  /** False if only the addressed node may see the body: a redirect is then an error. */
  readonly mayRedirect?: false;
  /** The meanings of codes for this operation, if they are more exact than the catalogue. */
  readonly hints?: Readonly<Partial<Record<VaultErrorCode, string>>> | undefined;
}

/** A complete answer: any status, the whole body, which is UTF-8. */
export interface VaultResponse {
  readonly status: number;
  readonly body: SecretBytes;
  /** From Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}
