import {
  type HealthState,
  health,
  isHighlyAvailable,
  type SealStatus,
  sealStatus,
} from "../admin/server-state.ts";
import { type VaultClientOptions, vaultClientDefaults } from "../http/client-options.ts";
import { createCaller } from "../http/create-caller.ts";
import { readMetadata, type SecretMetadata } from "../kv/read-metadata.ts";
import { readSecret, type SecretData, type SecretRef } from "../kv/read-secret.ts";
import { type ReadOutcome, readSecrets } from "../kv/read-secrets.ts";
import { type NewestVersion, scanMetadata } from "../kv/scan-metadata.ts";
import { type AppRoleLogin, loginAppRole } from "../tokens/login-approle.ts";
import { type CertLogin, loginCert } from "../tokens/login-cert.ts";
import { loginJwt } from "../tokens/login-jwt.ts";
import { loginKubernetes } from "../tokens/login-kubernetes.ts";
import { loginUserpass, type UserpassLogin } from "../tokens/login-userpass.ts";
import type { Login, RoleLogin } from "../tokens/request-login.ts";
import {
  lookupSelf,
  type Renewal,
  renewLease,
  renewSelf,
  revokeSelf,
  type TokenInfo,
} from "../tokens/token-operations.ts";
import type { Secret } from "../values/secret.ts";

/**
 * A client of one vault. It keeps no token: each operation is given one.
 * Every operation rejects with `VaultError` only, and is retried as the error catalogue says.
 */
export interface VaultClient {
  /** Exchanges a service account's token for a vault token. */
  loginKubernetes(login: RoleLogin): Promise<Login>;
  /** Exchanges a JWT that the vault verifies for a vault token. */
  loginJwt(login: RoleLogin): Promise<Login>;
  /** Exchanges a role id and a secret id for a vault token. */
  loginAppRole(login: AppRoleLogin): Promise<Login>;
  /** Exchanges the client certificate of the connection for a vault token. */
  loginCert(login: CertLogin): Promise<Login>;
  /** Exchanges a name and a password for a vault token. */
  loginUserpass(login: UserpassLogin): Promise<Login>;
  /** The vault's facts about the token. */
  lookupSelf(token: Secret): Promise<TokenInfo>;
  /** Extends the token's life. */
  renewSelf(token: Secret, incrementMs?: number): Promise<Renewal>;
  /** Ends the token and all its leases. */
  revokeSelf(token: Secret): Promise<void>;
  /** Extends a lease. */
  renewLease(token: Secret, leaseId: string, incrementMs?: number): Promise<Renewal>;
  /** Reads one secret. */
  readSecret(token: Secret, ref: SecretRef): Promise<SecretData>;
  /** Reads many at once; never rejects because of a single one. */
  readSecrets(token: Secret, refs: readonly SecretRef[]): Promise<readonly ReadOutcome[]>;
  /** The versions of a KV v2 secret, asked for by its data path. */
  readMetadata(token: Secret, dataPath: string): Promise<SecretMetadata>;
  /** The newest versions of all secrets of a KV v2 engine, by their paths. OpenBao only. */
  scanMetadata(token: Secret, mount: string): Promise<ReadonlyMap<string, NewestVersion>>;
  /** Whether the vault has several nodes, of which one is active; one try only. */
  isHighlyAvailable(): Promise<boolean>;
  /** Whether the vault is sealed; one try only. */
  sealStatus(): Promise<SealStatus>;
  /** The state of the node that answers; one try only. */
  health(): Promise<HealthState>;
}

/**
 * Makes a client; nothing is sent before the first operation.
 *
 * Connections are kept alive between operations by the transport.
 * @throws VaultError `INVALID_INPUT` when the address cannot be used
 */
export function createVaultClient(options: VaultClientOptions): VaultClient {
  const caller = createCaller(options);
  const concurrency = options.concurrency ?? vaultClientDefaults.concurrency;
  return {
    loginKubernetes: (login) => loginKubernetes(caller, login),
    loginJwt: (login) => loginJwt(caller, login),
    loginAppRole: (login) => loginAppRole(caller, login),
    loginCert: (login) => loginCert(caller, login),
    loginUserpass: (login) => loginUserpass(caller, login),
    lookupSelf: (token) => lookupSelf(caller, token),
    renewSelf: (token, incrementMs) => renewSelf(caller, token, incrementMs),
    revokeSelf: (token) => revokeSelf(caller, token),
    renewLease: (token, leaseId, incrementMs) => renewLease(caller, token, leaseId, incrementMs),
    readSecret: async (token, ref) => readSecret(caller, token, ref),
    readSecrets: (token, refs) => readSecrets(caller, token, refs, concurrency),
    readMetadata: (token, dataPath) => readMetadata(caller, token, dataPath),
    scanMetadata: (token, mount) => scanMetadata(caller, token, mount),
    isHighlyAvailable: () => isHighlyAvailable(caller),
    sealStatus: () => sealStatus(caller),
    health: () => health(caller),
  };
}
