/** `@svc/bootstrap`: initialises a secret store and sets it up for wrappers. */
export {
  type BootstrapInput,
  type BootstrapSettings,
  type BootstrapSettingsResult,
  bootstrapVariables,
  parseBootstrapSettings,
  type RoleSettings,
  type StoreTls,
} from "./settings.ts";
