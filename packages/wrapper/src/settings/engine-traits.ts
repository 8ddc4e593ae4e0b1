import type { SecretEngine } from "@svc/settings";

/** The meaning of a secret's engine for the wrapper. */
export interface EngineTraits {
  /**
   * True if a read changes nothing, so that the wrapper may look at the secret again and again.
   * False if each read makes a new secret with a lease.
   */
  readonly canBeReread: boolean;
  /** True if the secret comes from a vault, and not from a file of this machine. */
  readonly isInVault: boolean;
}

const engineTraits: Readonly<Record<SecretEngine, EngineTraits>> = {
  kv: { canBeReread: true, isInVault: true },
  dynamic: { canBeReread: false, isInVault: true },
  file: { canBeReread: true, isInVault: false },
};

/** The engine of a source; KV version 2 if the settings name none. */
export function engineOf({ engine }: { readonly engine?: SecretEngine }): EngineTraits {
  return engineTraits[engine ?? "kv"];
}
