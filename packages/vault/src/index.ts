export type {
  RetryEvent,
  RetryOptions,
  VaultClientOptions,
} from "./client-options.ts";
export { parseAddress, vaultClientDefaults } from "./client-options.ts";
export type { VaultErrorCode, VaultErrorMeaning } from "./error-catalogue.ts";
export { vaultErrorCatalogue } from "./error-catalogue.ts";
export type { InitialisationWish, Initialised } from "./initialise.ts";
export type { TlsPaths } from "./load-tls.ts";
export { loadTls } from "./load-tls.ts";
export type { KubernetesLogin, Login } from "./login-kubernetes.ts";
export type { NodeState } from "./node-state.ts";
export type { OpenedJson } from "./opened-json.ts";
export { isJsonObject } from "./opened-json.ts";
export type { SecretMetadata, VersionState } from "./read-metadata.ts";
export type { Lease, SecretData, SecretRef } from "./read-secret.ts";
export type { ReadOutcome } from "./read-secrets.ts";
export { Secret } from "./secret.ts";
export type { SecretPath } from "./secret-path.ts";
export { hasMetadataPath } from "./secret-path.ts";
export type { HealthState, SealStatus } from "./server-state.ts";
export type { FieldWrite, StoredFields, WrittenFields, WrittenValue } from "./stored-fields.ts";
export type { Renewal, TokenInfo } from "./token-operations.ts";
export type {
  BodyPart,
  FaultDetails,
  HttpFault,
  HttpRequest,
  HttpResponse,
  Transport,
} from "./transport.ts";
export { TransportError } from "./transport.ts";
export type { RaftLeader, VaultAdministration } from "./vault-administration.ts";
export { createVaultAdministration } from "./vault-administration.ts";
export type { VaultClient } from "./vault-client.ts";
export { createVaultClient } from "./vault-client.ts";
export type { VaultErrorDetails } from "./vault-error.ts";
export { VaultError } from "./vault-error.ts";
export type { VaultTls } from "./vault-tls.ts";
