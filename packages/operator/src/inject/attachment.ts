import type { EnvEntry } from "../pod/pod.ts";

/** The purpose of a volume. */
export type VolumePart =
  | "bundle"
  | "agent"
  | "account"
  | "permits"
  | "refresh"
  | "vault-ca"
  | "vault-token"
  | "broker-tls"
  | "broker-ca";

/**
 * A volume that a container needs, the place in which it sees it, and the variables that say so.
 */
export interface Attachment {
  readonly part: VolumePart;
  /** The volume without its name. */
  readonly source: Readonly<Record<string, unknown>>;
  readonly mountPath: string;
  readonly env: readonly EnvEntry[];
}
