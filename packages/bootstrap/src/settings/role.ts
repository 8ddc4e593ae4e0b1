import type { RoleSettings } from "./bootstrap-settings.ts";
import { present, type Reading } from "./reading.ts";

/** Reads the role that wrappers log in with; warns where it lets in more than anybody may have meant. */
export function readRole({ values, warnings }: Reading): RoleSettings {
  const { boundNames, boundNamespaces, roleAudience } = values;
  if (boundNames[0] === "*" && boundNamespaces[0] === "*") {
    warnings.push(
      "BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES: * with any name lets every pod of the cluster read the secrets",
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
