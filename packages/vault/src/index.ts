export type { InitialisationRequest, Initialised } from "./admin/initialise.ts";
export type { NodeState } from "./admin/node-state.ts";
export type { HealthState, SealStatus } from "./admin/server-state.ts";
export type { RaftLeader, VaultAdministration } from "./admin/vault-administration.ts";
export { createVaultAdministration } from "./admin/vault-administration.ts";
export type { VaultClient } from "./client/vault-client.ts";
export { createVaultClient } from "./client/vault-client.ts";
export type { VaultErrorCode, VaultErrorMeaning } from "./errors/error-catalogue.ts";
export { vaultErrorCatalogue } from "./errors/error-catalogue.ts";
export type { VaultErrorDetails } from "./errors/vault-error.ts";
export { VaultError } from "./errors/vault-error.ts";
export type {
  RetryEvent,
  RetryOptions,
  VaultClientOptions,
} from "./http/client-options.ts";
export { parseAddress, vaultClientDefaults } from "./http/client-options.ts";
export type { OpenedJson } from "./http/opened-json.ts";
export { isJsonObject } from "./http/opened-json.ts";
export type { JsonAnswer, JsonPost } from "./http/post-json.ts";
export { postJson } from "./http/post-json.ts";
export { sleep } from "./http/sleep.ts";
export type {
  BodyPart,
  FaultDetails,
  HttpFault,
  HttpRequest,
  HttpResponse,
  Transport,
} from "./http/transport.ts";
export { TransportError } from "./http/transport.ts";
export type { SecretMetadata, VersionState } from "./kv/read-metadata.ts";
export type { Lease, SecretData, SecretRef } from "./kv/read-secret.ts";
export type { ReadOutcome } from "./kv/read-secrets.ts";
export type { NewestVersion } from "./kv/scan-metadata.ts";
export type { KvPlace, SecretPath } from "./kv/secret-path.ts";
export { hasMetadataPath, kvPlaceOf } from "./kv/secret-path.ts";
export type { FieldWrite, StoredFields, WrittenFields, WrittenValue } from "./kv/stored-fields.ts";
export type { TlsPaths } from "./tls/load-tls.ts";
export { loadTls } from "./tls/load-tls.ts";
export type { VaultTls } from "./tls/vault-tls.ts";
export type { AppRoleLogin } from "./tokens/login-approle.ts";
export type { Login, RoleLogin } from "./tokens/request-login.ts";
export type { Renewal, TokenInfo } from "./tokens/token-operations.ts";
export { Secret } from "./values/secret.ts";
