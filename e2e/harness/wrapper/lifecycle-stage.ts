import { afterAll } from "bun:test";
import { join } from "node:path";
import { type DevStore, type DevStoreOptions, startDevStore } from "@svc/devstore";
import { callBao, canary, temporaryFolder, waitFor, writeSecret } from "@svc/testing";
import { expectNothingLeft } from "../processes/leftovers.ts";
import { fixture } from "../programs/fixture-programs.ts";
import { wrapperEnvironment } from "./one-secret.ts";
import { allowAtOnce } from "./slots.ts";
import type { RunningWrapper } from "./wrapper-process.ts";

const LAUNCHES_AT_ONCE = 12;

/** The program that says which value it has. */
export const recorder = fixture("records-values");

/** Checks often and rotates at once. */
export const hurried: Readonly<Record<string, string>> = {
  RENEWAL_INTERVAL: "150ms",
  SVC_ROTATION_SPLAY: "0s",
  SVC_ROTATION_MIN_INTERVAL: "0s",
  SVC_LOG_FORMAT: "json",
};

/** How long a story may wait for one thing. */
export const deadline = (what: string) => ({ deadlineMs: 12_000, what });

/** Clears up, and searches for leftovers, after the stories of a file. */
export function setLifecycleStage(): { readonly at: (name: string) => string } {
  allowAtOnce(LAUNCHES_AT_ONCE);
  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  expectNothingLeft();
  return { at: (name) => join(folder.path, name) };
}

/** A store with one secret that can be changed. */
export interface ChangingStore extends AsyncDisposable {
  readonly store: DevStore;
  readonly environment: Readonly<Record<string, string>>;
  /** Gives the secret a new value and returns that. */
  readonly change: () => Promise<string>;
  /** Writes a version with other fields. */
  readonly write: (fields: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly value: () => string;
}

/** Starts it; the wrapper's environment uses the root token. */
export function changingStore(options: Partial<DevStoreOptions> = {}): ChangingStore {
  let value = canary();
  const secrets = { "secret/data/app": { password: value }, ...options.secrets };
  const store = startDevStore({ token: canary(), ...options, secrets });
  const target = { address: store.address, rootToken: store.token };
  const write = (fields: Readonly<Record<string, unknown>>) =>
    writeSecret(target, "secret/data/app", fields);
  return {
    store,
    write,
    environment: { ...wrapperEnvironment(store.address, store.token), ...hurried },
    value: () => value,
    change: async () => {
      value = canary();
      await write({ password: value });
      return value;
    },
    [Symbol.asyncDispose]: store.stop,
  };
}

/** The environment of a wrapper that logs in, or waits to be unsealed. */
export function withoutToken(
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name !== "VAULT_TOKEN"));
}

/** Ends a token, as an operator would. */
export async function revoke(store: DevStore, token: string): Promise<void> {
  const target = { address: store.address, rootToken: token };
  await callBao(target, { method: "POST", path: "auth/token/revoke-self" });
}

/** A token with its own life. */
export async function childToken(store: DevStore, options: object): Promise<string> {
  const target = { address: store.address, rootToken: store.token };
  const answer = await callBao(target, {
    method: "POST",
    path: "auth/token/create",
    body: options,
  });
  const { auth } = answer as { readonly auth: { readonly client_token: string } };
  return auth.client_token;
}

/** The lines of standard output. */
export function linesOf(wrapper: RunningWrapper): readonly string[] {
  return wrapper.stdout().toString().split("\n").filter(Boolean);
}

/** Waits until the log holds a text; returns the log. */
export async function logs(wrapper: RunningWrapper, text: string, times = 1): Promise<string> {
  await waitFor(
    () => wrapper.stderr().split(text).length > times,
    deadline(`"${text}" in the log`),
  );
  return wrapper.stderr();
}

/** The address at which the health server listens, from the log. */
export async function healthAddress(wrapper: RunningWrapper): Promise<string> {
  const log = await logs(wrapper, "health server listens");
  const line = log.split("\n").findLast((text) => text.includes("health server listens"));
  const { port } = JSON.parse(line ?? "{}") as { readonly port: number };
  return `http://127.0.0.1:${port}`;
}

/** A request that brings a token to a sealed wrapper. */
export function postOf(token: string): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  };
}

/** Brings a token to a sealed wrapper. @returns the status and the body of the answer */
export async function unseal(base: string, token: string): Promise<readonly [number, unknown]> {
  const answer = await fetch(`${base}/v1/unseal`, postOf(token));
  return [answer.status, await answer.json()];
}
