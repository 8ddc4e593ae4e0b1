import { transport } from "#transport";
import { parseAddress, type VaultClientOptions, vaultClientDefaults } from "./client-options.ts";
import { sleep } from "./sleep.ts";
import type { VaultCaller } from "./vault-caller.ts";

/**
 * The common inputs of all operations, from the options and their defaults.
 * @throws VaultError `INVALID_INPUT` when the address cannot be used
 */
export function createCaller(options: VaultClientOptions): VaultCaller {
  const { signal } = options;
  return {
    connection: {
      address: parseAddress(options.address),
      namespace: options.namespace,
      tls: options.tls,
      maxResponseBytes: options.maxResponseBytes ?? vaultClientDefaults.maxResponseBytes,
      signal,
      transport: options.transport ?? transport,
    },
    requestTimeoutMs: options.requestTimeoutMs ?? vaultClientDefaults.requestTimeoutMs,
    policy: {
      options: { ...vaultClientDefaults.retry, ...options.retry },
      signal,
      random: options.random ?? Math.random,
      sleep: options.sleep ?? sleep,
      onRetry: options.onRetry,
    },
  };
}
