import type { VaultTls } from "../tls/vault-tls.ts";

/**
 * The `tls` option of Bun's fetch.
 *
 * Found by experiment with Bun 1.4.5, and held by tests:
 * - `ca` replaces the built-in roots; a list and a concatenation both work, and garbage in it ends
 *   in the code `FailedToOpenSocket` without a reason, hence the checks in `loadTls`;
 * - a server addressed by IP must have that IP among its subject alternative names;
 * - `serverName` changes both SNI and the verified name, also when the address is an IP;
 * - connections are pooled by these options: one made without verification is not reused with it;
 * - `rejectUnauthorized: true` must be said, else NODE_TLS_REJECT_UNAUTHORIZED=0 would win;
 * - `checkServerIdentity` *replaces* the check of the name, so it is never passed with a request.
 */
export function fetchTls(tls: VaultTls): Bun.TLSOptions & { readonly rejectUnauthorized: boolean } {
  const key = tls.key?.open([]);
  return {
    rejectUnauthorized: !tls.skipVerify,
    ...(tls.ca && { ca: [...tls.ca] }),
    ...(tls.cert && { cert: tls.cert }),
    ...(key && { key }),
    ...(tls.serverName && { serverName: tls.serverName }),
  };
}
