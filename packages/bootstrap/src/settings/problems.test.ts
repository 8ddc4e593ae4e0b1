import { describe, expect, test } from "bun:test";
import { least, messagesOf, parse } from "./testdata/least-environment.ts";

/** A variable, a text that is refused, and the requirement. */
const refusals: readonly (readonly [name: string, text: string, wanted: string])[] = [
  ["STORE_ADDR", "store.vault.svc:8200", "an http:// or https:// URL with a port"],
  ["STORE_ADDR", "https://store.vault.svc", "an http:// or https:// URL with a port"],
  ["STORE_NAMESPACE", "Vault", "the name of a Kubernetes namespace"],
  ["STORE_NAMESPACE", "a.b", "the name of a Kubernetes namespace"],
  ["STORE_NAMESPACE", "-a", "the name of a Kubernetes namespace"],
  ["STORE_NAMESPACE", "a".repeat(64), "the name of a Kubernetes namespace"],
  ["STORE_RELEASE_NAME", "my.store", "the name of a Helm release"],
  ["STORE_RELEASE_NAME", "a".repeat(54), "the name of a Helm release"],
  ["BOOTSTRAP_SHAMIR_SHARES", "0", "a number from 1 to 255"],
  ["BOOTSTRAP_SHAMIR_SHARES", "256", "a number from 1 to 255"],
  ["BOOTSTRAP_SHAMIR_SHARES", "05", "a number from 1 to 255"],
  ["BOOTSTRAP_SHAMIR_SHARES", "5.0", "a number from 1 to 255"],
  ["BOOTSTRAP_SHAMIR_THRESHOLD", "6", "at most the number of shares, 5"],
  ["BOOTSTRAP_SHAMIR_THRESHOLD", "1", "at least 2 if there are 5 shares"],
  ["BOOTSTRAP_SHAMIR_THRESHOLD", "three", "a number from 1 to 255"],
  ["BOOTSTRAP_KV_PATH", "secret//app", "the mount path of a KV engine"],
  ["BOOTSTRAP_KV_PATH", "secret/*", "the mount path of a KV engine"],
  ["BOOTSTRAP_KV_PATH", "a/../b", "the mount path of a KV engine"],
  ["BOOTSTRAP_KV_PATH", "sys", "a mount path that the store itself does not use"],
  ["BOOTSTRAP_KV_PATH", "identity/kv", "a mount path that the store itself does not use"],
  ["BOOTSTRAP_KV_PATH", "team/data", "a mount path without a segment data"],
  ["BOOTSTRAP_AUTH_PATH", "auth/", "a mount path that the store itself does not use"],
  ["BOOTSTRAP_AUTH_PATH", "k8s?x", "the mount path of an auth method"],
  ["BOOTSTRAP_AUTH_PATH", "auth/token", "a mount path that the store itself does not use"],
  ["BOOTSTRAP_POLICY_NAME", "root", "a policy's name that the store itself does not use"],
  ["BOOTSTRAP_POLICY_NAME", "Svc", "a policy's name"],
  ["BOOTSTRAP_POLICY_NAME", "a/b", "a policy's name"],
  ["BOOTSTRAP_ROLE_NAME", "app-", "a role's name"],
  ["BOOTSTRAP_ROLE_NAME", "a b", "a role's name"],
  ["BOOTSTRAP_ROLE_TOKEN_TYPE", "default", "one of service, batch"],
  ["BOOTSTRAP_HINTS_ROLE", "a b", "a role's name"],
  [
    "BOOTSTRAP_HINTS_ROLE",
    "svc",
    "another name than BOOTSTRAP_ROLE_NAME and BOOTSTRAP_POLICY_NAME",
  ],
  ["BOOTSTRAP_HINTS_SA", "svc-operator", "a service account as <namespace>/<name>"],
  ["BOOTSTRAP_HINTS_SA", "a/b/c", "a service account as <namespace>/<name>"],
  ["BOOTSTRAP_OUTPUT_SECRET", "Init_Keys", "the name of a Kubernetes Secret"],
  ["BOOTSTRAP_OUTPUT_SECRET", "a..b", "the name of a Kubernetes Secret"],
  ["BOOTSTRAP_ROLE_BOUND_SA_NAMES", "app,*", "* alone, or a list without it"],
  ["BOOTSTRAP_ROLE_BOUND_SA_NAMES", "app-*", "* alone, or whole names"],
  ["BOOTSTRAP_ROLE_BOUND_SA_NAMES", "app,,b", "a list without empty items"],
  ["BOOTSTRAP_ROLE_BOUND_SA_NAMES", "app,B", "the name of a service account"],
  ["BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES", "a.b", "the name of a Kubernetes namespace"],
  ["BOOTSTRAP_ROLE_TTL", "3600", "a duration such as 30s, 5m or 1h30m"],
  ["BOOTSTRAP_ROLE_TTL", "59s", "a duration of at least 1m"],
  ["BOOTSTRAP_ROLE_TTL", "769h", "a duration of at most 768h"],
  ["BOOTSTRAP_ROLE_TTL", "1m0.5s", "a duration of whole seconds"],
  ["BOOTSTRAP_ROLE_AUDIENCE", "two words", "an audience"],
  ["VAULT_CACERT", "ca.pem", "an absolute path of a file"],
  ["VAULT_SKIP_VERIFY", "yes", "true or false"],
];

describe("problems of the bootstrap's settings", () => {
  for (const [name, text, wanted] of refusals) {
    test(`${name} refuses ${text.length > 40 ? `${text.length} characters` : text}`, () => {
      const [message = "", ...others] = messagesOf({ ...least, [name]: text });
      expect(message).toStartWith(`${name}: must be ${wanted}`);
      expect(others).toEqual([]);
    });
  }

  test("name the threshold's default if one share is wanted", () => {
    expect(messagesOf({ ...least, BOOTSTRAP_SHAMIR_SHARES: "1" })).toEqual([
      "BOOTSTRAP_SHAMIR_THRESHOLD: must be 1 if there is one share: it is 3 by default",
    ]);
  });

  test("name the flag if it was the flag", () => {
    expect(messagesOf(least, ["--shamir-threshold=9"])).toEqual([
      "--shamir-threshold (BOOTSTRAP_SHAMIR_THRESHOLD): must be at most the number of shares, 5: it is 9",
    ]);
  });

  test("name half a client certificate", () => {
    expect(messagesOf({ ...least, VAULT_CLIENT_KEY: "/k.pem" })).toEqual([
      "VAULT_CLIENT_CERT: must be set together with VAULT_CLIENT_KEY: it is not set",
    ]);
  });

  test("are all there at once", () => {
    const environment = Object.fromEntries(refusals.map(([name, text]) => [name, text]));
    const named = new Set(messagesOf(environment, ["--kv=x"]).map((it) => it.split(":")[0]));
    expect(named).toEqual(new Set(["--kv", ...Object.keys(environment)]));
  });

  test("never show the value of a refused flag", () => {
    const result = parse(least, ["--root-token=canary", "--unseal-key", "canary"]);
    expect(result.kind).toBe("problems");
    expect(JSON.stringify(result)).not.toContain("canary");
  });
});
