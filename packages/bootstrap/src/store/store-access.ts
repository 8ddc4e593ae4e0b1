import type { Secret, VaultAdministration } from "@svc/vault";

/** A store and the right to change it. */
export interface StoreAccess {
  readonly admin: VaultAdministration;
  readonly token: Secret;
  /** True if steps only report their planned changes. */
  readonly dryRun?: boolean;
}
