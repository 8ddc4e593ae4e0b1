import { parseOneOf, variable } from "@svc/settings";
import { parseAudience } from "./audience.ts";
import { parseBoundNames } from "./bound-names.ts";
import { parseNamespaceName, parseServiceAccountName } from "./kubernetes-name.ts";
import { parseRoleTtl } from "./role-ttl.ts";
import { parseAuthMount, parseKvMount, parsePolicyName, parseRoleName } from "./store-names.ts";

const group = "Access to secrets";

/** The mounts in the store, and the accounts that may read there. */
export const accessVariables = {
  kvPath: variable({
    name: "BOOTSTRAP_KV_PATH",
    flag: "kv-path",
    group,
    type: "mount path",
    default: "secret",
    parse: parseKvMount,
    meaning: "Mount path of the KV version 2 engine.",
  }),
  authPath: variable({
    name: "BOOTSTRAP_AUTH_PATH",
    flag: "auth-path",
    group,
    type: "mount path",
    default: "kubernetes",
    parse: parseAuthMount,
    meaning: "Mount path of the Kubernetes auth method, with or without `auth/` in front.",
  }),
  policyName: variable({
    name: "BOOTSTRAP_POLICY_NAME",
    flag: "policy-name",
    group,
    type: "name",
    default: "svc",
    parse: parsePolicyName,
    meaning: "Name of the policy that may read the secrets.",
  }),
  policyScope: variable({
    name: "BOOTSTRAP_POLICY_SCOPE",
    flag: "policy-scope",
    group,
    type: "word",
    default: "all",
    parse: parseOneOf(["all", "namespace", "service-account"]),
    meaning:
      "Which secrets a token of the policy reads: `all`, those below `<namespace>/`, or those at and below `<namespace>/<service account>`, of the account that has logged in. With `all` every token that logs in reads every secret.",
  }),
  roleName: variable({
    name: "BOOTSTRAP_ROLE_NAME",
    flag: "role-name",
    group,
    type: "name",
    default: "svc",
    parse: parseRoleName,
    meaning: "Name of the role that wrappers log in with.",
  }),
  boundNames: variable({
    name: "BOOTSTRAP_ROLE_BOUND_SA_NAMES",
    flag: "role-bound-sa-names",
    group,
    type: "list",
    default: "*",
    parse: parseBoundNames(parseServiceAccountName),
    meaning: "Service accounts that may log in: names between commas, or `*` for all.",
  }),
  boundNamespaces: variable({
    name: "BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES",
    flag: "role-bound-sa-namespaces",
    group,
    type: "list",
    default: "*",
    parse: parseBoundNames(parseNamespaceName),
    meaning: "Namespaces whose service accounts may log in: names between commas, or `*` for all.",
  }),
  roleTtlSeconds: variable({
    name: "BOOTSTRAP_ROLE_TTL",
    flag: "role-ttl",
    group,
    type: "duration",
    default: "1h",
    parse: parseRoleTtl,
    meaning: "Life of a token from a login with the role, between renewals. From 1m to 768h.",
  }),
  roleAudience: variable({
    name: "BOOTSTRAP_ROLE_AUDIENCE",
    flag: "role-audience",
    group,
    type: "audience",
    parse: parseAudience,
    meaning:
      "Audience that a service account's token must be made for. Unset, the role takes tokens that were made for anybody; an audience that the role has already stays.",
  }),
};
