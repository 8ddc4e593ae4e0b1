/** The meaning of an error code for people and for code. */
export interface VaultErrorMeaning {
  /** One sentence for the reference page. */
  readonly meaning: string;
  /** What to do about it if nothing more exact is known. */
  readonly hint: string;
  /** Whether the client tries again by itself until its deadline. */
  readonly retryable: boolean;
}

/**
 * Every code a `VaultError` can carry: the source of the generated reference page.
 *
 * TLS failures, an expired certificate included, are not tried again. None of them mends itself
 * within a start deadline, and the sooner the process ends the sooner its message is read.
 */
export const vaultErrorCatalogue = {
  SEALED: {
    meaning: "the vault is sealed, or was never initialised",
    hint: "unseal the vault; `bao status` or `vault status` shows its state",
    retryable: true,
  },
  NOT_INITIALIZED: {
    meaning: "the vault has not been initialised",
    hint: "initialise the vault, for example with `svc secretstore init`",
    retryable: true,
  },
  ALREADY_INITIALIZED: {
    meaning: "the vault was initialised before, and the key shares went to the client that did it",
    hint: "use the key shares of that initialisation; nothing was changed",
    retryable: false,
  },
  SHARE_REFUSED: {
    meaning: "the given key shares do not open the vault, or one of them is not a key share",
    hint: "check that all shares are of this vault's last initialisation or rekeying",
    retryable: false,
  },
  STANDBY: {
    meaning: "the node that answered is a standby and cannot serve the request",
    hint: "address the active node, or a service that selects it",
    retryable: true,
  },
  DENIED: {
    meaning: "the vault refused the token, the login or the access to this path",
    hint: "check that the token is still valid and that its policy covers the path",
    retryable: false,
  },
  NOT_FOUND: {
    meaning: "there is nothing at this path, or no engine is mounted there",
    hint: "check the path; a KV v2 path has the form <mount>/data/<path>",
    retryable: false,
  },
  DELETED: {
    meaning: "this version of the secret is deleted, and can be undeleted",
    hint: "undelete the version or write a new one",
    retryable: false,
  },
  DESTROYED: {
    meaning: "this version of the secret is destroyed for good",
    hint: "write a new version, or ask for another one",
    retryable: false,
  },
  INVALID_ROLE: {
    meaning: "the auth mount knows no role of this name",
    hint: "check VAULT_AUTH_ROLE and VAULT_AUTH_MOUNT_PATH, or create the role",
    retryable: false,
  },
  UNREACHABLE: {
    meaning: "no connection could be made, or it broke before the answer was complete",
    hint: "check VAULT_ADDR, that the vault runs, and that network policies allow the connection",
    retryable: true,
  },
  DNS: {
    meaning: "the vault's host name does not resolve",
    hint: "check the host name in VAULT_ADDR, the name servers in /etc/resolv.conf, and that network policies allow DNS",
    retryable: true,
  },
  TLS: {
    meaning: "no trusted TLS connection could be made",
    hint: "check the scheme in VAULT_ADDR, VAULT_CACERT and the server's certificate",
    retryable: false,
  },
  TIMEOUT: {
    meaning: "the vault did not answer completely within the time limit of a request",
    hint: "check the load of the vault and that nothing between drops the packets",
    retryable: true,
  },
  RATE_LIMITED: {
    meaning: "the vault or something in front of it limits the rate of requests",
    hint: "raise the quota of this path or spread the starts",
    retryable: true,
  },
  SERVER_ERROR: {
    meaning: "the vault or something in front of it failed to serve the request",
    hint: "read the log of the vault",
    retryable: true,
  },
  BAD_REQUEST: {
    meaning: "the vault does not accept the request",
    hint: "check the path and the options of the request",
    retryable: false,
  },
  BAD_RESPONSE: {
    meaning: "the answer is not a valid answer of a vault",
    hint: "check that VAULT_ADDR is the vault itself and not something in front of it",
    retryable: false,
  },
  TOO_LARGE: {
    meaning: "the answer is larger than the client accepts",
    hint: "split the secret over several paths",
    retryable: false,
  },
  REDIRECT_LOOP: {
    meaning: "the vault redirected more often than a standby node ever does",
    hint: "check api_addr of the vault nodes",
    retryable: false,
  },
  REDIRECT_REFUSED: {
    meaning: "the vault redirected to a place to which a token must not follow",
    hint: "check api_addr of the vault nodes; it must use https if VAULT_ADDR does",
    retryable: false,
  },
  INVALID_INPUT: {
    meaning: "an address, path, token or TLS file cannot be used as given",
    hint: "correct the named setting",
    retryable: false,
  },
  CANCELLED: {
    meaning: "the caller gave up",
    hint: "nothing to do",
    retryable: false,
  },
} as const satisfies Readonly<Record<string, VaultErrorMeaning>>;

/** The closed set of codes of `VaultError`. */
export type VaultErrorCode = keyof typeof vaultErrorCatalogue;
