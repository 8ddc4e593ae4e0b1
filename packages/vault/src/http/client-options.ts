import { VaultError } from "../errors/vault-error.ts";
import type { VaultTls } from "../tls/vault-tls.ts";
import type { Transport } from "./transport.ts";

/** When and how often a request is tried again. */
export interface RetryOptions {
  /** One operation ends after this time, tries and pauses together. Default 60,000 ms. */
  readonly deadlineMs: number;
  /** Upper bound of the first pause. Default 250 ms. */
  readonly baseDelayMs: number;
  /** Upper bound of every pause. Default 10,000 ms. */
  readonly maxDelayMs: number;
  /** Tries in all, the first included. Default unlimited: the deadline decides. */
  readonly maxAttempts: number;
}

/** Said before each pause between two tries. */
export interface RetryEvent {
  /** The operation, for example `read secret/data/app`. */
  readonly operation: string;
  /** The try that failed, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: VaultError;
}

/** Options of `createVaultClient`. */
export interface VaultClientOptions {
  /** `http` or `https` URL of the vault; a path is kept as a prefix. */
  readonly address: string;
  /** Sent as X-Vault-Namespace. */
  readonly namespace?: string | undefined;
  readonly tls: VaultTls;
  /** Limit of one try, redirects and body included. Default 10,000 ms. */
  readonly requestTimeoutMs?: number | undefined;
  /** Largest body that is accepted. Default 32 MiB. */
  readonly maxResponseBytes?: number | undefined;
  readonly retry?: Partial<RetryOptions> | undefined;
  /** Reads at the same time in `readSecrets`. Default 32: twenty paths go in one wave. */
  readonly concurrency?: number | undefined;
  /** Ends requests and pauses with `CANCELLED`. */
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** For tests. */
  readonly random?: (() => number) | undefined;
  /** For tests; must end early when the signal aborts. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /** For tests. */
  readonly transport?: Transport | undefined;
}

/** Default values of `VaultClientOptions`. */
export const vaultClientDefaults = {
  requestTimeoutMs: 10_000,
  maxResponseBytes: 32 * 1024 * 1024,
  concurrency: 32,
  retry: {
    deadlineMs: 60_000,
    baseDelayMs: 250,
    maxDelayMs: 10_000,
    maxAttempts: Number.POSITIVE_INFINITY,
  },
} as const satisfies Partial<VaultClientOptions>;

/**
 * Checks a vault address and drops its trailing slashes.
 * @throws VaultError `INVALID_INPUT`; the message never repeats credentials.
 */
export function parseAddress(address: string): string {
  const url = URL.parse(address);
  const problem = addressProblem(url);
  if (url === null || problem !== undefined) {
    throw new VaultError("INVALID_INPUT", `parse vault address: ${problem}`, {
      hint: "write VAULT_ADDR as http(s)://host:port",
    });
  }
  return url.href.replace(/\/+$/, "");
}

function addressProblem(url: URL | null): string | undefined {
  if (url === null) return "not a URL";
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `scheme "${url.protocol.slice(0, -1)}" is neither http nor https`;
  }
  if (url.username !== "" || url.password !== "") return "must not hold a user or password";
  if (url.search !== "" || url.hash !== "") return 'must not hold "?" or "#"';
  return undefined;
}
