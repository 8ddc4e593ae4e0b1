/** One request as the state machine sees it: no sockets, nothing left to decode but the body. */
export interface StoreRequest {
  readonly method: string;
  /** Decoded path without the leading `/v1/`; a trailing slash is kept. */
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  /** The token of X-Vault-Token or of an Authorization: Bearer header; empty when there is none. */
  readonly token: string;
  /** X-Vault-Namespace as sent; empty when there is none. */
  readonly namespace: string;
  /** True when X-Vault-Wrap-TTL asks for a wrapped response. */
  readonly wrap: boolean;
  readonly contentType: string;
  readonly body: string;
}

/** The operation of a request, in the words of policies; `write` is `create` or `update`. */
export type Operation = "read" | "list" | "write" | "delete" | "patch";
