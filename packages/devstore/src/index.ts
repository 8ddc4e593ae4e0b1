/**
 * `@svc/devstore`: an in-memory KV version 2 store that answers as OpenBao does, and the files that
 * fill it. **For development only**: nothing is kept, nothing is protected.
 */

export { type ParseSecretsOptions, parseSecretsFile } from "./files/parse-secrets-file.ts";
export type { ParsedSecrets, SecretsProblem } from "./files/parsed-file.ts";
export { handle } from "./handle.ts";
export type { StoreRequest } from "./http/request.ts";
export type { StoreResponse } from "./http/responses.ts";
export type { JsonObject, JsonValue } from "./json/json.ts";
export type { DevStoreOptions } from "./model/dev-store-options.ts";
export { DevStoreError, type DevStoreErrorCode } from "./model/errors.ts";
export type { KubernetesLogin, KubernetesRole } from "./model/kubernetes-role.ts";
export type { LeasedSecret } from "./model/leases.ts";
export { newState } from "./model/new-state.ts";
export type { Capability, PolicyRule } from "./model/policy.ts";
export type { RandomNames } from "./model/random-names.ts";
export type { SecretsByPath } from "./model/secrets-by-path.ts";
export type { StoreState } from "./model/store-state.ts";
export { type DevStore, startDevStore } from "./start-dev-store.ts";
