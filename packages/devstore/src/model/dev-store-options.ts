import type { KubernetesLogin } from "./kubernetes-role.ts";
import type { LeasedSecret } from "./leases.ts";
import type { PolicyRule } from "./policy.ts";
import type { SecretsByPath } from "./secrets-by-path.ts";

/** The options of a development store; everything but `secrets` has a default. */
export interface DevStoreOptions {
  /** The secrets to begin with, by KV version 2 path (`secret/data/app`). */
  readonly secrets: SecretsByPath;
  /** The root token; by default a random one. */
  readonly token?: string;
  /** A loopback address or `localhost`; by default `127.0.0.1`. */
  readonly host?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** The clock, in milliseconds since the epoch; by default `Date.now`. */
  readonly now?: () => number;
  /** Policies that tokens and roles can name, besides `root` and `default`. */
  readonly policies?: Readonly<Record<string, readonly PolicyRule[]>>;
  /** Offers `auth/<mount>/login` with a static JWT; absent: no such mount. */
  readonly kubernetes?: KubernetesLogin;
  /** Values that `dev-lease/<name>` gives out with a lease. */
  readonly leased?: Readonly<Record<string, LeasedSecret>>;
}
