import { BoundedCache } from "../image/bounded-cache.ts";
import { ImageError } from "../image/image-error.ts";
import type { RegistryCredential } from "../image/registry-credential.ts";
import { SingleFlight } from "../image/single-flight.ts";
import type { IssuedLogin } from "./login-provider.ts";

type Credentials = readonly RegistryCredential[];

interface Kept {
  readonly credentials: Credentials;
  /** From when on a new one is asked for. */
  readonly staleMs: number;
}

/**
 * No credential is kept longer, regardless of its lifetime: a removed permission should not live on
 * here.
 */
const LONGEST_MS = 3_600_000;
/** A failure is kept so long, so that many pods are not many requests. */
const FAILURE_MS = 5000;
const BYTES_EACH = 20_000;

/**
 * Keeps credentials in memory until shortly before they end. Many that ask together share one
 * login.
 */
export class LoginCache {
  readonly #now: () => number;
  readonly #kept: BoundedCache<Kept>;
  readonly #failures: BoundedCache<ImageError>;
  readonly #flights = new SingleFlight<Credentials>();

  /** @param now a clock in milliseconds that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#kept = new BoundedCache({ entries: 200, bytes: 4 * 1024 * 1024 }, now);
    this.#failures = new BoundedCache({ entries: 200, bytes: 1024 * 1024 }, now);
  }

  /**
   * The credentials for a key. If a new login fails while the old credentials still live, those
   * are given.
   *
   * @throws ImageError of the login
   */
  async get(key: string, logIn: () => Promise<IssuedLogin>): Promise<Credentials> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.staleMs > this.#now()) return kept.credentials;
    const failure = this.#failures.get(key);
    if (failure === undefined) {
      const flight = this.#flights.run(key, () => this.#renew(key, logIn));
      return kept === undefined ? flight : flight.catch(() => kept.credentials);
    }
    if (kept !== undefined) return kept.credentials;
    throw failure;
  }

  async #renew(key: string, logIn: () => Promise<IssuedLogin>): Promise<Credentials> {
    const begunMs = this.#now();
    try {
      const { credentials, lifeMs } = await logIn();
      const { staleMs, endMs } = timesOf(lifeMs);
      const kept = { credentials, staleMs: begunMs + staleMs };
      this.#kept.put(key, kept, { bytes: BYTES_EACH, lifeMs: endMs });
      return credentials;
    } catch (error) {
      if (error instanceof ImageError)
        this.#failures.put(key, error, { bytes: 2000, lifeMs: FAILURE_MS });
      throw error;
    }
  }
}

/**
 * A fifth of its life before its end, a credential is replaced; a twentieth before it, it is no
 * longer used.
 */
function timesOf(lifeMs: number): { readonly staleMs: number; readonly endMs: number } {
  const lives = Math.max(0, lifeMs);
  return { staleMs: Math.min(LONGEST_MS, lives * 0.8), endMs: lives * 0.95 };
}
