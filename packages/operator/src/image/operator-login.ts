import type { ImagePlace } from "./place-pattern.ts";
import type { RegistryCredential } from "./registry-credential.ts";

/** One way in which the operator itself logs in to a registry. */
export interface OperatorLogin {
  /** As messages name it: `aws`, `docker-config`. */
  readonly source: string;
  /** The permissions that the identity needs if the registry refuses it, for people. */
  readonly hint: string;
  /**
   * Returns the credentials for a registry; undefined if this login has no credentials for it.
   *
   * @throws ImageError `LOGIN_REFUSED`, `LOGIN_UNAVAILABLE`, or the signal's reason
   */
  readonly credentials: (signal: AbortSignal) => Promise<readonly RegistryCredential[]>;
}

/** The logins that a namespace's pods may have used for them. */
export interface NamespaceLogins {
  /** Tells namespaces with different rights apart, in the keys of remembered answers. */
  readonly key: string;
  /** Those for a place, the most specific first. */
  readonly loginsFor: (place: ImagePlace) => readonly OperatorLogin[];
}
