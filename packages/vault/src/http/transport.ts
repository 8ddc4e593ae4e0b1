import type { SecretBytes } from "@svc/secret-bytes";
import type { VaultTls } from "../tls/vault-tls.ts";

/** A part of a request's body: a text as it is, or a secret as the inside of a JSON string. */
export type BodyPart = string | SecretBytes;

/** One HTTP/1.1 request. The names are those of svc-engine.d.ts. */
export interface HttpRequest {
  readonly method: string;
  /** http or https; absolute. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string | SecretBytes])[];
  /** Sent one behind the other. A secret is escaped, and goes without its quotes. */
  readonly body?: readonly BodyPart[] | undefined;
  readonly tls: VaultTls;
  /** The answer's body is at most this long. */
  readonly maxBytes: number;
  /** True for a separate connection; otherwise one that is kept may be used. */
  readonly ownConnection: boolean;
  /** Closes the connection, and ends the request with the fault `aborted`. */
  readonly signal: AbortSignal;
}

/** A whole answer, of any status. */
export interface HttpResponse {
  readonly status: number;
  /** A header by its lower-case name; several of a name are joined by ", ". */
  readonly header: (name: string) => string | undefined;
  readonly body: SecretBytes;
}

/** Why there is no whole answer. */
export type HttpFault =
  | "refused"
  | "unreachable"
  | "closed"
  | "name not found"
  | "unknown authority"
  | "wrong name"
  | "expired"
  | "not yet valid"
  | "bad certificate"
  | "handshake"
  | "unusable material"
  | "not HTTP"
  | "headers too large"
  | "body too large"
  | "aborted";

/** The facts about a fault beside its kind. */
export interface FaultDetails {
  /** True if the head of an answer was there. */
  readonly answered?: boolean;
  /** The names of the server's certificate, for `wrong name`. */
  readonly names?: readonly string[] | undefined;
  /** The runtime's or the system's own word for it, if the kind says less. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

/** A request without a whole answer. It quotes nothing that was sent or received. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly fault: HttpFault;
  readonly answered: boolean;
  readonly names: readonly string[] | undefined;
  readonly detail: string | undefined;

  constructor(fault: HttpFault, details: FaultDetails = {}) {
    super(fault, details.cause === undefined ? undefined : { cause: details.cause });
    this.fault = fault;
    this.answered = details.answered ?? false;
    this.names = details.names;
    this.detail = details.detail;
  }
}

/**
 * Sends one request and reads the whole answer. It follows no redirect, asks no proxy, undoes no
 * compression and logs nothing.
 * @throws TransportError and nothing else
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;
