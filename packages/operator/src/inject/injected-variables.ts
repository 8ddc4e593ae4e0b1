import type { AnnotationKey } from "../annotations/annotation-table.ts";

/** A variable of the wrapper whose text an annotation or a SvcConfig gives. */
export interface InjectedVariable {
  readonly name: string;
  readonly annotation: AnnotationKey;
  /** True if the default is written down as well. */
  readonly always?: true;
  /** An old name under which a container may have set it. */
  readonly alias?: string;
}

/**
 * The rows of the injection table, and those of our annotations, in the order of the variables.
 */
export const injectedVariables: readonly InjectedVariable[] = [
  { name: "VAULT_ADDR", annotation: "vaultAddress" },
  { name: "VAULT_AUTH_METHOD", annotation: "vaultAuthMethod", always: true },
  { name: "VAULT_AUTH_ROLE", annotation: "vaultRole" },
  { name: "VAULT_AUTH_MOUNT_PATH", annotation: "vaultAuthPath" },
  { name: "VAULT_NAMESPACE", annotation: "vaultNamespace" },
  { name: "SVC_SECRET_PATHS", annotation: "secretPaths", alias: "SECRET_PATHS" },
  { name: "SVC_ENV_MAP", annotation: "envMap" },
  { name: "SVC_FILE_MAP", annotation: "fileMap" },
  { name: "SVC_ROTATION", annotation: "rotation", always: true },
  { name: "VAULT_SKIP_VERIFY", annotation: "vaultTlsSkipVerify" },
  { name: "VAULT_TLS_SERVER_NAME", annotation: "vaultTlsServerName" },
  { name: "SVC_ALLOW_REFERENCES", annotation: "allowReferences" },
  { name: "RENEWAL_INTERVAL", annotation: "renewalInterval" },
  { name: "SVC_ROTATION_SPLAY", annotation: "rotationSplay" },
  { name: "SVC_ROTATION_MIN_INTERVAL", annotation: "rotationMinInterval" },
  { name: "SVC_ROTATION_BY", annotation: "rotationBy" },
  { name: "SVC_STALE_AFTER", annotation: "staleAfter" },
  { name: "SVC_START_DEADLINE", annotation: "startDeadline" },
  { name: "SVC_STOP_GRACE", annotation: "stopGrace" },
  { name: "SVC_STOP_SIGNAL", annotation: "stopSignal" },
  { name: "SVC_RESTART", annotation: "restart" },
  { name: "SVC_SUPERVISE", annotation: "supervise" },
  { name: "SVC_DELIVERY", annotation: "delivery" },
  { name: "SVC_FOLLOW", annotation: "follow" },
  { name: "SVC_PASS_ENV", annotation: "passEnv" },
  { name: "SVC_REQUIRE_AGENT", annotation: "requireAgent" },
  { name: "SVC_REQUIRE_MLOCK", annotation: "requireMlock" },
  { name: "SVC_REQUIRE_MEMFD_SECRET", annotation: "requireMemfdSecret" },
  { name: "SVC_LOG_LEVEL", annotation: "logLevel" },
  { name: "SVC_LOG_FORMAT", annotation: "logFormat" },
];
