import type { StoredFields, WrittenFields } from "@svc/vault";
import type { RoleSettings } from "../settings.ts";
import type { StepOutcome } from "../step.ts";
import { differingFields } from "./differing-fields.ts";
import { ensure } from "./ensure.ts";
import type { Plan } from "./plan.ts";
import type { StoreAccess } from "./store-access.ts";

/** A role of the Kubernetes auth method. */
export interface RoleRequest extends RoleSettings {
  /** Below `auth/`. */
  readonly authPath: string;
  /** The one policy of its tokens, beside `default`. */
  readonly policyName: string;
}

/**
 * Makes a role as wanted. Other fields stay unchanged, an audience included: no user's
 * restriction is removed.
 * @throws VaultError
 */
export function ensureRole(
  access: StoreAccess,
  wanted: RoleRequest,
  step: "role" | "hints-role" = "role",
): Promise<StepOutcome> {
  const plan = (present: StoredFields | undefined) => rolePlan(present, wanted);
  return ensure(access, { step, readPath: pathOf(wanted), plan });
}

/** Makes the role from the present one. */
export function rolePlan(present: StoredFields | undefined, wanted: RoleRequest): Plan {
  const fieldsWanted: WrittenFields = {
    bound_service_account_names: wanted.boundNames,
    bound_service_account_namespaces: wanted.boundNamespaces,
    token_policies: [wanted.policyName],
    token_ttl: wanted.ttlSeconds,
    ...(wanted.audience === undefined ? {} : { audience: wanted.audience }),
    ...tokenType(present, wanted),
  };
  const path = pathOf(wanted);
  if (present === undefined) return { outcome: "created", write: { path, fields: fieldsWanted } };
  const fields = differingFields(present, { ...fieldsWanted, ...withoutSelector(present) });
  const differs = Object.keys(fields);
  if (differs.length === 0) return { outcome: "unchanged" };
  return { outcome: "updated", differs, write: { path, fields } };
}

/**
 * A selector lets in namespaces beside those that are named: the settings do not ask for such a
 * binding.
 */
function withoutSelector(present: StoredFields): WrittenFields {
  const name = "bound_service_account_namespace_selector";
  return present[name] === undefined ? {} : { [name]: "" };
}

/** `default` is the type `service`, unless the mount is tuned. */
function tokenType(present: StoredFields | undefined, { tokenType }: RoleRequest): WrittenFields {
  const isBatch = present?.["token_type"] === "batch";
  return isBatch === (tokenType === "batch") ? {} : { token_type: tokenType };
}

function pathOf({ authPath, name }: RoleRequest): string {
  return `auth/${authPath}/role/${name}`;
}
