/** `@svc/bootstrap`: initialises a secret store and sets it up for wrappers. */
export { BootstrapError, type BootstrapErrorDetails } from "./bootstrap-error.ts";
export { type BootstrapErrorCode, bootstrapErrorCatalogue } from "./error-catalogue.ts";
export { hintOf } from "./hint-of.ts";
export { podAddress } from "./pod-address.ts";
export {
  type BootstrapInput,
  type BootstrapSettings,
  type BootstrapSettingsResult,
  bootstrapVariables,
  parseBootstrapSettings,
  type RoleSettings,
  type StoreTls,
} from "./settings.ts";
export { type AuthConfigWish, ensureAuthConfig } from "./store/auth-config.ts";
export { ensureAuthMount } from "./store/auth-mount.ts";
export { initialiseStore } from "./store/initialise-store.ts";
export { joinCluster } from "./store/join-cluster.ts";
export { ensureKvMount } from "./store/kv-mount.ts";
export { ensurePolicy, type PolicyWish } from "./store/policy.ts";
export { policyText } from "./store/policy-text.ts";
export { type RaftMember, raftMembers } from "./store/raft-members.ts";
export { ensureRole, type RoleWish } from "./store/role.ts";
export type { StepName, StepOutcome } from "./store/step.ts";
export type { StoreSession } from "./store/store-session.ts";
export { unsealNode } from "./store/unseal-node.ts";
