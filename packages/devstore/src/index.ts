/**
 * `@svc/devstore`: an in-memory KV version 2 store that answers as OpenBao does, and the files that
 * fill it. **For development only**: nothing is kept, nothing is protected.
 */

export type { DevStoreOptions } from "./dev-store-options.ts";
export { DevStoreError, type DevStoreErrorCode } from "./errors.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { KubernetesLogin, KubernetesRole } from "./kubernetes-role.ts";
export type { LeasedSecret } from "./leases.ts";
export { type ParseSecretsOptions, parseSecretsFile } from "./parse-secrets-file.ts";
export type { ParsedSecrets, SecretsProblem } from "./parsed-file.ts";
export type { Capability, PolicyRule } from "./policy.ts";
export type { SecretsByPath } from "./secrets-by-path.ts";
export { type DevStore, startDevStore } from "./start-dev-store.ts";
