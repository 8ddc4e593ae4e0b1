/** How servers of a login are asked. */
export interface LoginWay {
  /** As messages begin: `log in with aws`. */
  readonly operation: string;
  /** PEM certificates by `host[:port]`, `*` for all others, as for registries. */
  readonly authorities: Readonly<Record<string, readonly string[]>>;
  /** One request with its body, in milliseconds. */
  readonly requestMs: number;
  /** Ends the login. */
  readonly signal: AbortSignal;
}
