import type { RoleSettings } from "./bootstrap-settings.ts";
import { present, type Reading } from "./reading.ts";

/** Reads the role that wrappers log in with; warns where it lets in more than anybody may have meant. */
export function readRole({ values, warnings }: Reading): RoleSettings {
  const { boundNames, boundNamespaces, roleAudience } = values;
  const isForAll = boundNames[0] === "*" && boundNamespaces[0] === "*";
  if (isForAll && values.policyScope === "all") {
    warnings.push(
      "BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES: * with any name lets every pod of the cluster read every secret: set BOOTSTRAP_POLICY_SCOPE to service-account, or name who may",
    );
  }
  if (roleAudience === undefined) {
    warnings.push(
      "BOOTSTRAP_ROLE_AUDIENCE: is not set: a token that was made for another service can log in too",
    );
  }
  return {
    name: values.roleName,
    boundNames,
    boundNamespaces,
    ttlSeconds: values.roleTtlSeconds,
    ...present({ audience: roleAudience }),
  };
}
