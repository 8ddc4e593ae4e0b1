export type {
  Fetch,
  RetryEvent,
  RetryOptions,
  VaultClientOptions,
} from "./client-options.ts";
export { parseAddress, vaultClientDefaults } from "./client-options.ts";
export type { VaultErrorCode, VaultErrorMeaning } from "./error-catalogue.ts";
export { vaultErrorCatalogue } from "./error-catalogue.ts";
export type { TlsPaths } from "./load-tls.ts";
export { loadTls } from "./load-tls.ts";
export type { KubernetesLogin, Login } from "./login-kubernetes.ts";
export type { SecretMetadata, VersionState } from "./read-metadata.ts";
export type { Lease, SecretData, SecretRef } from "./read-secret.ts";
export type { ReadOutcome } from "./read-secrets.ts";
export { Secret } from "./secret.ts";
export type { SecretPath } from "./secret-path.ts";
export { metadataPathOf, parseSecretPath } from "./secret-path.ts";
export type { HealthState, SealStatus } from "./server-state.ts";
export type { Renewal, TokenInfo } from "./token-operations.ts";
export type { VaultClient } from "./vault-client.ts";
export { createVaultClient } from "./vault-client.ts";
export type { VaultErrorDetails } from "./vault-error.ts";
export { VaultError } from "./vault-error.ts";
export type { VaultTls } from "./vault-tls.ts";
