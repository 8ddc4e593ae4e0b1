import { type DevStore, type DevStoreOptions, startDevStore } from "@svc/devstore";
import { canary } from "@svc/testing";

/** The environment of a wrapper that fetches one secret with a static token. */
export type WrapperEnvironment = Readonly<Record<string, string>>;

/** A development store with one secret, and how a wrapper gets it. */
export interface OneSecretStore extends AsyncDisposable {
  readonly store: DevStore;
  /** The value of DB_PASSWORD. */
  readonly password: string;
  readonly environment: WrapperEnvironment;
}

/** Starts the store; `options` may add secrets, policies and logins. */
export function oneSecretStore(options: Partial<DevStoreOptions> = {}): OneSecretStore {
  const password = canary();
  const secrets = { "secret/data/app": { password }, ...options.secrets };
  const store = startDevStore({ token: canary(), ...options, secrets });
  return {
    store,
    password,
    environment: wrapperEnvironment(store.address, store.token),
    [Symbol.asyncDispose]: store.stop,
  };
}

/** The settings for `password` of `secret/data/app` as DB_PASSWORD. */
export function wrapperEnvironment(address: string, token: string): WrapperEnvironment {
  return {
    VAULT_ADDR: address,
    VAULT_TOKEN: token,
    SVC_SECRET_PATHS: "secret/data/app",
    SVC_ENV_MAP: "password=DB_PASSWORD",
    HEALTH_ADDR: "127.0.0.1:0",
    SVC_TERMINATION_LOG: "/nonexistent/termination-log",
  };
}
