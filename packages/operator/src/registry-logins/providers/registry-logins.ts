import { deadline } from "../../image/deadline.ts";
import { ImageError } from "../../image/image-error.ts";
import type { NamespaceLogins, OperatorLogin } from "../../image/operator-login.ts";
import type { ImagePlace } from "../../image/place-pattern.ts";
import type { RegistryCredential } from "../../image/registry-credential.ts";
import type { RegistrySettings } from "../../image/registry-settings.ts";
import { LoginCache } from "../login-cache.ts";
import { loginUnavailable } from "../login-failure.ts";
import type { LoginProvider, LoginSource } from "../login-provider.ts";
import { type LoginRule, rulesFor, rulesOf } from "./login-rules.ts";

/** How the operator logs in to registries. */
export interface RegistryLoginsOptions {
  readonly rules: readonly LoginRule[];
  readonly providers: ReadonlyMap<LoginSource, LoginProvider>;
  readonly authorities: RegistrySettings["authorities"];
  readonly limits?: LoginLimits;
  readonly cache?: LoginCache;
}

/** How much one login may take. */
export interface LoginLimits {
  /** All its requests, in milliseconds: less than a look-up has. */
  readonly totalMs: number;
  /** One request, in milliseconds. */
  readonly requestMs: number;
}

/** The default limits. */
export const loginLimits: LoginLimits = { totalMs: 5000, requestMs: 2000 };

/** The operator's own logins at registries, for the namespaces that may have them. */
export class RegistryLogins {
  readonly #options: RegistryLoginsOptions;
  readonly #cache: LoginCache;

  constructor(options: RegistryLoginsOptions) {
    this.#options = options;
    this.#cache = options.cache ?? new LoginCache();
  }

  /** The logins for pods of a namespace; undefined if it has none. */
  forNamespace(namespace: string): NamespaceLogins | undefined {
    const rules = rulesOf(this.#options.rules, namespace);
    if (rules.length === 0) return undefined;
    const key = rules.map((rule) => this.#options.rules.indexOf(rule)).join(",");
    return {
      key,
      loginsFor: (place) => rulesFor(rules, place).map(({ source }) => this.#login(source, place)),
    };
  }

  /**
   * Logs in wherever a rule names one registry, so that a mistake shows before the first pod; never
   * throws.
   */
  async rehearse(): Promise<readonly LoginRehearsal[]> {
    const named = this.#options.rules.filter(({ pattern }) => !pattern.host.includes("*"));
    return Promise.all(
      named.map(async ({ pattern, source }) => {
        const [registry = "", ...parts] = pattern.text.split("/");
        const place = { registry, repository: parts.join("/") };
        const { signal } = new AbortController();
        const error = await this.#login(source, place)
          .credentials(signal)
          .then(() => undefined, failureOf);
        return { source, registry: pattern.text, error };
      }),
    );
  }

  #login(source: LoginSource, place: ImagePlace): OperatorLogin {
    const provider = this.#options.providers.get(source);
    if (provider === undefined) throw new RangeError(`there is no provider ${source}`);
    const key = `${source} ${provider.keyOf(place)}`;
    const credentials = (signal: AbortSignal) =>
      unlessAborted(
        this.#cache.get(key, () => this.#logIn(provider, place)),
        signal,
      );
    return { source, hint: provider.hint, credentials };
  }

  async #logIn(provider: LoginProvider, place: ImagePlace) {
    const { authorities, limits = loginLimits } = this.#options;
    const operation = `log in with ${provider.source}`;
    const late = () =>
      loginUnavailable(`${operation}: not within ${limits.totalMs} ms`, {
        hint: "the operator has to reach the servers of the login: check its network policy",
      });
    using total = deadline(limits.totalMs, late);
    const { signal } = total;
    return await provider.logIn(place, {
      ...{ operation, authorities, signal },
      requestMs: limits.requestMs,
    });
  }
}

/** The outcome of a login at the start. */
export interface LoginRehearsal {
  readonly source: LoginSource;
  readonly registry: string;
  /** Undefined if it succeeded. */
  readonly error: ImageError | undefined;
}

function failureOf(error: unknown): ImageError {
  if (error instanceof ImageError) return error;
  throw error;
}

/** One look-up that ends does not end the login, for which others wait. */
async function unlessAborted(
  work: Promise<readonly RegistryCredential[]>,
  signal: AbortSignal,
): Promise<readonly RegistryCredential[]> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  // Both may fail; the one that comes second is not an unhandled rejection.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
