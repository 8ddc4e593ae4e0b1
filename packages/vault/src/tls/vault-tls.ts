import type { SecretBytes } from "@svc/secret-bytes";

/** How the server proves itself to us and, with a client certificate, we to the server. */
export interface VaultTls {
  /** Accept any certificate. For development only. */
  readonly skipVerify: boolean;
  /** PEM certificates. When given they are the only trust, as in Vault's own client. */
  readonly ca?: readonly string[] | undefined;
  /** PEM client certificate, with its chain. Given together with `key`. */
  readonly cert?: string | undefined;
  /** PEM private key of `cert`, not encrypted. */
  readonly key?: SecretBytes | undefined;
  /** Replaces the host of the address in SNI and as the name the certificate must have. */
  readonly serverName?: string | undefined;
}
