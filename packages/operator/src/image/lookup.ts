import type { CredentialEntry } from "./docker-auths.ts";
import type { ImageReference } from "./image-reference.ts";
import type { LookupMemory } from "./lookup-memory.ts";
import type { NamespaceLogins } from "./operator-login.ts";
import type { PlatformConstraint } from "./platform.ts";
import type { LookupLimits, RegistrySettings } from "./registry-settings.ts";

/** A lookup, for all its servers. */
export interface Lookup {
  readonly reference: ImageReference;
  readonly credentials: readonly CredentialEntry[];
  /** The operator's own, tried after the pod's. */
  readonly logins: NamespaceLogins | undefined;
  readonly platform: PlatformConstraint;
  readonly settings: RegistrySettings;
  readonly limits: LookupLimits;
  readonly memory: LookupMemory;
  /** As messages begin: `read image X`. */
  readonly operation: string;
}
