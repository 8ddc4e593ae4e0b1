import type { Secret, StoredFields, WrittenFields } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import type { StepOutcome } from "../step.ts";
import { differingFields } from "./differing-fields.ts";
import { ensure } from "./ensure.ts";
import type { Plan } from "./plan.ts";
import type { StoreAccess } from "./store-access.ts";

/** How the auth method has the API server review tokens. */
export interface AuthConfigRequest {
  /** The API server's URL, as the store reaches it. */
  readonly host: string;
  /** PEM certificates to verify it with. */
  readonly caPem?: string | undefined;
  /**
   * The token that reviews are asked for with; the store's own pod's token if it is absent. The
   * store never shows it: one that is there counts as this one.
   */
  readonly reviewerToken?: Secret | undefined;
  /**
   * True if the store does not run in a pod of that cluster; it then needs the two above. Default
   * false.
   */
  readonly outside?: boolean | undefined;
}

/**
 * Sees to `auth/<path>/config`.
 *
 * @throws BootstrapError `REVIEWER_IN_THE_WAY`
 * @throws VaultError
 */
export function ensureAuthConfig(
  access: StoreAccess,
  path: string,
  wanted: AuthConfigRequest,
): Promise<StepOutcome> {
  const configPath = `auth/${path}/config`;
  const plan = (present: StoredFields | undefined) => authConfigPlan(present, configPath, wanted);
  return ensure(access, { step: "auth-config", readPath: configPath, plan });
}

/** Makes the configuration from the present one. */
export function authConfigPlan(
  present: StoredFields | undefined,
  path: string,
  wanted: AuthConfigRequest,
): Plan {
  const { caPem, reviewerToken } = wanted;
  const fieldsWanted = {
    kubernetes_host: wanted.host,
    disable_local_ca_jwt: wanted.outside ?? false,
    ...(caPem === undefined ? {} : { kubernetes_ca_cert: caPem.trim() }),
  };
  const token = reviewerToken === undefined ? {} : { token_reviewer_jwt: reviewerToken };
  if (present === undefined) {
    return { outcome: "created", write: { path, fields: { ...fieldsWanted, ...token } } };
  }
  const differs = [
    ...Object.keys(differingFields(trimmed(present), fieldsWanted)),
    ...(reviewerToken !== undefined && present["token_reviewer_jwt_set"] === false
      ? ["token_reviewer_jwt"]
      : []),
  ];
  if (differs.length === 0) return { outcome: "unchanged" };
  if (present["token_reviewer_jwt_set"] === true && reviewerToken === undefined) {
    throw new BootstrapError(
      "REVIEWER_IN_THE_WAY",
      `update ${path}: ${differs.join(", ")} differs`,
    );
  }
  return {
    outcome: "updated",
    differs,
    write: { path, fields: { ...kept(present), ...fieldsWanted, ...token } },
  };
}

/** A write replaces the whole configuration, so other fields are written unchanged. */
function kept(present: StoredFields): WrittenFields {
  const { kubernetes_ca_cert: ca, pem_keys: keys, issuer, disable_iss_validation: lax } = present;
  // Only HashiCorp's Vault has it.
  const aliases = present["use_annotations_as_alias_metadata"];
  return {
    ...(typeof ca === "string" && ca !== "" ? { kubernetes_ca_cert: ca } : {}),
    ...(Array.isArray(keys) ? { pem_keys: keys.filter((key) => typeof key === "string") } : {}),
    ...(typeof issuer === "string" ? { issuer } : {}),
    ...(typeof lax === "boolean" ? { disable_iss_validation: lax } : {}),
    ...(typeof aliases === "boolean" ? { use_annotations_as_alias_metadata: aliases } : {}),
  };
}

/** Servers differ in the newline at a PEM text's end. */
function trimmed(present: StoredFields): StoredFields {
  const { kubernetes_ca_cert: ca } = present;
  return typeof ca === "string" ? { ...present, kubernetes_ca_cert: ca.trim() } : present;
}
