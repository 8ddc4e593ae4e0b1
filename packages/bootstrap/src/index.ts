/** `@svc/bootstrap`: initialises a secret store and sets it up for wrappers. */
export { BootstrapError, type BootstrapErrorDetails } from "./bootstrap-error.ts";
export { prepareEncryption } from "./encryption/prepare-encryption.ts";
export { type BootstrapErrorCode, bootstrapErrorCatalogue } from "./error-catalogue.ts";
export { hintOf } from "./hint-of.ts";
export { type InitOutcome, initStore } from "./init/init-store.ts";
export { type LoadedFiles, loadFiles, loadStoreTls } from "./init/load-files.ts";
export { rehearseInit } from "./init/rehearse-init.ts";
export { revokeRoot } from "./init/revoke-root.ts";
export type { PodFacts, Release, StorePod } from "./kubernetes/choose-pods.ts";
export { connectKubernetes, type KubernetesCluster } from "./kubernetes/connect-kubernetes.ts";
export type { SecretPlace } from "./kubernetes/kubernetes-secret.ts";
export { ANSWER_LIMITS, type AnswerLimits } from "./kubernetes/send-request.ts";
export { openNodes } from "./nodes/open-nodes.ts";
export type { Administer, SeenNode } from "./nodes/store-nodes.ts";
export { podAddress } from "./pod-address.ts";
export {
  type NamedStep,
  Progress,
  type ProgressEvent,
  type RunOutcome,
  type RunStep,
} from "./progress.ts";
export { type ResetOutcome, resetUnfinished } from "./reset/reset-unfinished.ts";
export {
  beginRevocation,
  dropRootToken,
  noteCluster,
  noteConfigured,
} from "./secret/amend-keys.ts";
export { KEEPING_PATIENCE, keepKeys, type NewKeys } from "./secret/keep-keys.ts";
export { type KeyEncryption, noEncryption } from "./secret/key-encryption.ts";
export type { KeyWork, ObtainedKeys } from "./secret/key-work.ts";
export {
  type NextStep,
  nextStep,
  RESERVATION_LIFE_MS,
  type Situation,
} from "./secret/next-step.ts";
export { obtainKeys } from "./secret/obtain-keys.ts";
export { parsePhase } from "./secret/parse-phase.ts";
export { placeForKeys } from "./secret/place-for-keys.ts";
export { type PlainKeys, plainOfStored } from "./secret/plain-keys.ts";
export { reserveSecret } from "./secret/reserve-secret.ts";
export type {
  SecretClient,
  SecretContent,
  SecretObject,
  SecretRevision,
} from "./secret/secret-object.ts";
export type {
  Cipher,
  KeyCiphers,
  PodMark,
  Reserved,
  SecretPhase,
  StoredKeys,
} from "./secret/secret-phase.ts";
export { type StoreStanding, storeStanding } from "./secret/store-standing.ts";
export { writePhase } from "./secret/write-phase.ts";
export { parseKubeconfigPaths } from "./settings/store-variables.ts";
export {
  type BootstrapSettings,
  bootstrapVariables,
  type EncryptionSettings,
  type OutputFormat,
  type PolicyScope,
  parseBootstrapSettings,
  parseResetSettings,
  parseStatusSettings,
  parseUnsealSettings,
  type ResetSettings,
  type ReviewSettings,
  type RoleSettings,
  resetCommandVariables,
  type SettingsInput,
  type SettingsResult,
  type StatusSettings,
  statusVariables,
  type UnsealSettings,
  unsealVariables,
} from "./settings.ts";
export {
  type NodeStatus,
  type SecretStatus,
  type StoreStatus,
  storeStatus,
} from "./status/store-status.ts";
export type { StepName, StepOutcome } from "./step.ts";
export type { Patience } from "./store/ask-until.ts";
export { type AuthConfigRequest, ensureAuthConfig } from "./store/auth-config.ts";
export { ensureAuthMount } from "./store/auth-mount.ts";
export { hintsPolicyText } from "./store/hints-policy-text.ts";
export { initialiseStore } from "./store/initialise-store.ts";
export { joinCluster } from "./store/join-cluster.ts";
export { ensureKvMount } from "./store/kv-mount.ts";
export { ensurePolicy, type PolicyRequest } from "./store/policy.ts";
export { policyText } from "./store/policy-text.ts";
export { ensureRole, type RoleRequest } from "./store/role.ts";
export type { StoreAccess } from "./store/store-access.ts";
export { unsealNode } from "./store/unseal-node.ts";
export type { InitTools } from "./tools/init-tools.ts";
export { giveShares, type NextShare, type Unsealing } from "./unseal/give-shares.ts";
export { unsealStore } from "./unseal/unseal-store.ts";
