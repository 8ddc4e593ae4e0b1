import {
  accepted,
  goDurationNs,
  type Parsed,
  type Parser,
  parseDurationBetween,
  parseFilePath,
  parseList,
  parseOneOf,
  parseServerUrl,
  refused,
  variable,
} from "@svc/settings";
import {
  parseAuthMount,
  parseKvMount,
  parseNamespaceName,
  parsePolicyName,
  parseRoleName,
  parseServiceAccountName,
} from "./names.ts";

/** Parses the audience of service account tokens: one word of visible ASCII, most often a URL. */
export function parseAudience(text: string): Parsed<string> {
  return /^[!-~]{1,255}$/.test(text)
    ? accepted(text)
    : refused("an audience: one word of at most 255 visible ASCII characters");
}

/** 32 days is the longest that a server allows unless it is tuned: more would be cut in silence. */
const parseBounded = parseDurationBetween({ least: "1m", most: "768h" });
const SECOND_NS = 1_000_000_000n;

/** Parses the life of a role's tokens, a Go duration from 1m to 768h; the value is in seconds. */
export function parseRoleTtl(text: string): Parsed<number> {
  const bounded = parseBounded(text);
  if (!bounded.ok) return bounded;
  const ns = goDurationNs(text) ?? 0n;
  return ns % SECOND_NS === 0n
    ? accepted(Number(ns / SECOND_NS))
    : refused("a duration of whole seconds");
}

/**
 * A parser for a role's bindings: `*` alone for everything, or names between commas.
 * The value has no name twice.
 */
export function parseBoundNames(parseName: Parser<string>): Parser<readonly string[]> {
  const parseNames = parseList(parseBoundName(parseName));
  return (text) => {
    if (text.trim() === "*") return accepted(["*"]);
    const names = parseNames(text);
    return names.ok ? accepted([...new Set(names.value)]) : names;
  };
}

/** The server refuses `*` beside names, and reads a `*` within a name as a pattern. */
function parseBoundName(parseName: Parser<string>): Parser<string> {
  return (text) => {
    if (text === "*") return refused("* alone, or a list without it");
    return text.includes("*") ? refused("* alone, or whole names") : parseName(text);
  };
}

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
  roleTokenType: variable({
    name: "BOOTSTRAP_ROLE_TOKEN_TYPE",
    flag: "role-token-type",
    group,
    type: "word",
    default: "service",
    parse: parseOneOf(["service", "batch"]),
    meaning:
      "Type of the role's tokens. The store keeps nothing of a `batch` token, so a login costs it a quarter and writes nothing. Nothing can renew or revoke one: it lives until BOOTSTRAP_ROLE_TTL is over, also without its pod.",
  }),
  roleAudience: variable({
    name: "BOOTSTRAP_ROLE_AUDIENCE",
    flag: "role-audience",
    group,
    type: "audience",
    parse: parseAudience,
    meaning:
      "Audience that a service account's token must be made for. Unset, the role takes tokens that were made for any server; an audience that the role has already stays.",
  }),
};

/** A service account with its namespace. */
export interface BoundAccount {
  readonly namespace: string;
  readonly name: string;
}

/** Parses the place of one service account: `<namespace>/<name>`. */
export function parseAccount(text: string): Parsed<BoundAccount> {
  const [first = "", second = "", ...rest] = text.split("/");
  const [namespace, name] = [parseNamespaceName(first), parseServiceAccountName(second)];
  return namespace.ok && name.ok && rest.length === 0
    ? accepted({ namespace: namespace.value, name: name.value })
    : refused("a service account as <namespace>/<name>");
}

const hintsGroup = "Hints of the operator";

/** The role by which the operator learns versions; docs/decisions/0136-version-hints.md. */
export const hintsVariables = {
  hintsRole: variable({
    name: "BOOTSTRAP_HINTS_ROLE",
    flag: "hints-role",
    group: hintsGroup,
    type: "name",
    parse: parseRoleName,
    meaning:
      "Name of a role, and of its policy, by which the operator learns the versions of secrets and reads no value. The operator's own default is `svc-version-hints`. Unset, none is made, and one that was made stays.",
  }),
  hintsAccount: variable({
    name: "BOOTSTRAP_HINTS_SA",
    flag: "hints-sa",
    group: hintsGroup,
    type: "service account",
    default: "svc-system/svc-operator",
    parse: parseAccount,
    meaning: "The operator's service account, `<namespace>/<name>`: no other one gets the role.",
  }),
};

const reviewGroup = "Review of service account tokens";

/** How the store lets the API server review the tokens of logins. */
export const reviewVariables = {
  kubernetesHost: variable({
    name: "BOOTSTRAP_KUBERNETES_HOST",
    flag: "kubernetes-host",
    group: reviewGroup,
    type: "URL",
    default: "https://kubernetes.default.svc:443",
    parse: parseServerUrl,
    meaning: "Address of the API server, as the store reaches it.",
  }),
  kubernetesCaCertPath: variable({
    name: "BOOTSTRAP_KUBERNETES_CA_CERT",
    flag: "kubernetes-ca-cert",
    group: reviewGroup,
    type: "file",
    requiredness: { conditional: "Conditional: together with BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE" },
    parse: parseFilePath,
    meaning:
      "PEM file of the CA certificates to verify the API server with. For a store that runs outside the cluster: one in a pod has its own.",
  }),
  reviewerTokenPath: variable({
    name: "BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE",
    flag: "token-reviewer-jwt-file",
    group: reviewGroup,
    type: "file",
    requiredness: { conditional: "Conditional: together with BOOTSTRAP_KUBERNETES_CA_CERT" },
    parse: parseFilePath,
    meaning:
      "File with the token of an account that may review tokens (`system:auth-delegator`). For a store that runs outside the cluster: one in a pod uses its own account's.",
  }),
};
