import type { SecretMapping } from "./wrapper-settings.ts";

/**
 * True for a variable that no secret may be delivered as.
 *
 * SVC_SECRET_FD belongs to the wrapper. LD_* and GLIBC_TUNABLES control the dynamic loader before
 * the program's first instruction: an author of a secret could run their own code in the program.
 * The same goes for `BASH_FUNC_name%%`, of which bash makes functions . Names that arise from
 * `*=PREFIX_*` are only known after the fetch and are checked then.
 */
export function isReservedVariable(name: string): boolean {
  const isFunction = name.startsWith("BASH_FUNC_") && /(?:%%|\(\))$/.test(name);
  const isWrapper = name === "SVC_SECRET_FD";
  return isWrapper || isFunction || name === "GLIBC_TUNABLES" || name.startsWith("LD_");
}

/** The reserved names that mappings deliver, as far as the mappings alone show it. */
export function reservedNames(mappings: readonly SecretMapping[]): readonly string[] {
  return mappings
    .map((mapping) => (mapping.kind === "every" ? mapping.prefix : mapping.variable))
    .filter(isReservedVariable);
}

/** Misspelt names are looked for among those that begin like this. */
export const wrapperPrefixes: readonly string[] = ["VAULT_", "SVC_"];

/**
 * Every name in the wrapper's tables, older names included. A test compares the two lists. Couriers
 * read this one, because loading the tables would delay the program's start.
 */
const wrapperNames: ReadonlySet<string> = new Set([
  "HEALTH_ADDR",
  "RENEWAL_INTERVAL",
  "SECRET_PATHS",
  "SVC_ALLOW_REFERENCES",
  "SVC_AUTH_JWT_PATH",
  "SVC_BROKER_TLS_CA",
  "SVC_BROKER_TLS_CERT",
  "SVC_BROKER_TLS_KEY",
  "SVC_CONTAINER_NAME",
  "SVC_DELIVERY",
  "SVC_FOLLOW",
  "SVC_EBPF_AGENT_ADDR",
  "SVC_EBPF_AGENT_CA",
  "SVC_EBPF_AGENT_CERT",
  "SVC_EBPF_AGENT_KEY",
  "SVC_EBPF_AGENT_SERVER_NAME",
  "SVC_EBPF_AGENT_TOKEN_FILE",
  "SVC_EBPF_NODE_IP",
  "SVC_ENV_MAP",
  "SVC_FILE_MAP",
  "SVC_HINTED_INTERVAL",
  "SVC_HINTS",
  "SVC_LOG_FORMAT",
  "SVC_LOG_LEVEL",
  "SVC_ORIGINAL_ARGS",
  "SVC_ORIGINAL_CMD",
  "SVC_PASS_ENV",
  "SVC_PERMITS_ADDR",
  "SVC_PERMITS_CACERT_BYTES",
  "SVC_PERMITS_TOKEN_FILE",
  "SVC_POD_IP",
  "SVC_POD_NAME",
  "SVC_POD_NAMESPACE",
  "SVC_POD_UID",
  "SVC_READINESS_PROBE",
  "SVC_REFRESH_FILE",
  "SVC_REQUIRE_AGENT",
  "SVC_REQUIRE_MEMFD_SECRET",
  "SVC_REQUIRE_MLOCK",
  "SVC_RESTART",
  "SVC_RESTART_MAX_DELAY",
  "SVC_ROTATION",
  "SVC_ROTATION_BY",
  "SVC_ROTATION_DEBOUNCE",
  "SVC_ROTATION_DRAIN",
  "SVC_ROTATION_MIN_INTERVAL",
  "SVC_ROTATION_SPLAY",
  "SVC_SECRET_FD",
  "SVC_SECRET_PATHS",
  "SVC_SHOW_PATHS",
  "SVC_STALE_AFTER",
  "SVC_START_DEADLINE",
  "SVC_STOP_GRACE",
  "SVC_STOP_SIGNAL",
  "SVC_SUPERVISE",
  "SVC_TERMINATION_LOG",
  "VAULT_ADDR",
  "VAULT_APPROLE_ROLE_ID",
  "VAULT_APPROLE_SECRET_ID_FILE",
  "VAULT_AUTH_METHOD",
  "VAULT_AUTH_MOUNT_PATH",
  "VAULT_AUTH_ROLE",
  "VAULT_CACERT",
  "VAULT_CACERT_BYTES",
  "VAULT_CAPATH",
  "VAULT_CLIENT_CERT",
  "VAULT_CLIENT_TIMEOUT",
  "VAULT_CLIENT_KEY",
  "VAULT_NAMESPACE",
  "VAULT_SKIP_VERIFY",
  "VAULT_TLS_SERVER_NAME",
  "VAULT_TOKEN",
  "VAULT_USERPASS_PASSWORD_FILE",
  "VAULT_USERPASS_USERNAME",
  "VAULT_TOKEN_FILE",
]);

/**
 * True for a variable that the wrapper itself reads or sets. The program does not get it unless
 * SVC_PASS_ENV names it. Other names that begin with `VAULT_` or `SVC_` belong to the program:
 * Kubernetes makes SVC_PORT for a Service called `svc`, and VAULT_SERVICE_HOST for one called
 * `vault`.
 */
export function isWrapperVariable(name: string): boolean {
  return wrapperNames.has(name);
}

/** True for a name that may be a misspelt variable of the wrapper. */
export function resemblesWrapperVariable(name: string): boolean {
  return isWrapperVariable(name) || wrapperPrefixes.some((prefix) => name.startsWith(prefix));
}
