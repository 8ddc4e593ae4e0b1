import type { Secret, VaultAdministration } from "@svc/vault";

/** A store and the right to change it. */
export interface StoreSession {
  readonly admin: VaultAdministration;
  readonly token: Secret;
  /** True where steps only say what they would do. */
  readonly dryRun?: boolean;
}
