import { describe, expect, test } from "bun:test";
import {
  type Environment,
  type Extras,
  least,
  permits,
  warningsOf,
} from "./testdata/least-environment.ts";

describe("warnings", () => {
  const rows: readonly (readonly [
    name: string,
    environment: Environment,
    extras: Extras,
    warning: string,
  ])[] = [
    [
      "name a method that a token overrules",
      { VAULT_AUTH_METHOD: "kubernetes" },
      { tokenPresent: true },
      "VAULT_AUTH_METHOD: kubernetes has no effect: VAULT_TOKEN is set",
    ],
    [
      "name a method jwt that a token overrules",
      { VAULT_AUTH_METHOD: "jwt" },
      { tokenPresent: true },
      "VAULT_AUTH_METHOD: jwt has no effect: VAULT_TOKEN is set",
    ],
    [
      "name a role id beside another method",
      { VAULT_APPROLE_ROLE_ID: "r-1" },
      {},
      "VAULT_APPROLE_ROLE_ID: has no effect: the login method is kubernetes",
    ],
    [
      "name the file of a secret id beside the method jwt",
      { VAULT_AUTH_METHOD: "jwt", VAULT_APPROLE_SECRET_ID_FILE: "/s" },
      {},
      "VAULT_APPROLE_SECRET_ID_FILE: has no effect: the login method is jwt",
    ],
    [
      "name a role id beside a token",
      { VAULT_APPROLE_ROLE_ID: "r-1" },
      { tokenPresent: true },
      "VAULT_APPROLE_ROLE_ID: has no effect: the login method is token",
    ],
    [
      "name hints without a port at which the operator could say them",
      { SVC_HINTS: "true", HEALTH_ADDR: "off", ...permits },
      {},
      "SVC_HINTS: has no effect: HEALTH_ADDR is off",
    ],
    [
      "name a role beside the method approle",
      { VAULT_AUTH_METHOD: "approle", VAULT_APPROLE_ROLE_ID: "r-1" },
      {},
      "VAULT_AUTH_ROLE: has no effect: the login method is approle",
    ],
    [
      "name a token file that is not used",
      { VAULT_TOKEN_FILE: "/t" },
      { tokenPresent: true },
      "VAULT_TOKEN: is used, and VAULT_TOKEN_FILE is not: both are set",
    ],
    [
      "name a misspelt variable",
      { SVC_SECRET_PATH: "x" },
      {},
      "SVC_SECRET_PATH: is not a variable of ours and has no effect: did you mean SVC_SECRET_PATHS?",
    ],
    [
      "name a descriptor from outside",
      { SVC_SECRET_FD: "3" },
      {},
      "SVC_SECRET_FD: has no effect: the wrapper sets it for the program",
    ],
    [
      "name a certificate that is not verified",
      { VAULT_SKIP_VERIFY: "true" },
      {},
      "VAULT_SKIP_VERIFY: the vault's certificate is not verified: development only",
    ],
    [
      "name plain HTTP to another machine",
      { VAULT_ADDR: "http://vault.example:8200" },
      {},
      "VAULT_ADDR: http sends the token and every secret over the network unencrypted",
    ],
    [
      "name a CA directory that is not used",
      { VAULT_CACERT: "/ca.pem", VAULT_CAPATH: "/ca" },
      {},
      "VAULT_CAPATH: has no effect: VAULT_CACERT is set",
    ],
    [
      "name quotes that mean nothing",
      { SVC_ORIGINAL_ARGS: '-c "echo hello"' },
      {},
      "SVC_ORIGINAL_ARGS: quotes and backslashes mean nothing between white space: use a JSON array of strings",
    ],
    [
      "name paths in which nothing is looked for",
      { SVC_ENV_MAP: "" },
      { flags: ["--secrets=A=kv/data/a"] },
      "SVC_SECRET_PATHS: has no effect: every item of --secrets names its own path",
    ],
  ];
  for (const [name, environment, extras, warning] of rows) {
    test(name, () => {
      expect(warningsOf({ ...least, ...environment }, extras)).toEqual([warning]);
    });
  }
});
