import { createVaultAdministration } from "../src/admin/vault-administration.ts";
import { createVaultClient } from "../src/client/vault-client.ts";
import { VaultError } from "../src/errors/vault-error.ts";
import type { VaultClientOptions } from "../src/http/client-options.ts";

/** A client that does not try again by default. */
export function clientOf(server: Addressed, more: Partial<VaultClientOptions> = {}) {
  return createVaultClient(optionsOf(server, more));
}

/** The administration of a server; it does not try again by default. */
export function adminOf(server: Addressed, more: Partial<VaultClientOptions> = {}) {
  return createVaultAdministration(optionsOf(server, more));
}

interface Addressed {
  readonly address: string;
}

function optionsOf({ address }: Addressed, more: Partial<VaultClientOptions>): VaultClientOptions {
  return { address, tls: { skipVerify: false }, retry: { maxAttempts: 1 }, ...more };
}

/** The `VaultError` a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<VaultError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof VaultError) return error;
    throw error;
  }
  throw new Error("expected a VaultError, got a result");
}
