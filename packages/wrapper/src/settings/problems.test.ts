import { describe, expect, test } from "bun:test";
import {
  type Environment,
  type Extras,
  least,
  messagesOf,
  parse,
} from "./testdata/least-environment.ts";

describe("problems", () => {
  const rows: readonly (readonly [
    name: string,
    environment: Environment,
    extras: Extras,
    ...messages: string[],
  ])[] = [
    [
      "name a method kubernetes without a role",
      { VAULT_AUTH_ROLE: "" },
      {},
      "VAULT_AUTH_ROLE: must be set when the method is kubernetes: it is not set",
    ],
    [
      "name a method jwt without a role",
      { VAULT_AUTH_METHOD: "jwt", VAULT_AUTH_ROLE: "" },
      {},
      "VAULT_AUTH_ROLE: must be set when the method is jwt: it is not set",
    ],
    [
      "name a method approle without a role id, beside a wrong path of the secret id",
      { VAULT_AUTH_METHOD: "approle", VAULT_APPROLE_SECRET_ID_FILE: "a\nb" },
      {},
      'VAULT_APPROLE_SECRET_ID_FILE: must be an absolute path of a file, such as /etc/svc/ca.pem: got "a\\nb"',
      "VAULT_APPROLE_ROLE_ID: must be set when the method is approle: it is not set",
    ],
    [
      "name a method cert without a certificate, over plain HTTP",
      { VAULT_AUTH_METHOD: "cert", VAULT_ADDR: "http://vault.example:8200" },
      {},
      "VAULT_AUTH_METHOD: must be set together with VAULT_CLIENT_CERT and VAULT_CLIENT_KEY if it is cert: they are not set",
      "VAULT_AUTH_METHOD: must be an https:// VAULT_ADDR if it is cert: the certificate belongs to the connection: VAULT_ADDR is http",
    ],
    [
      "name a method userpass without a name and a password",
      { VAULT_AUTH_METHOD: "userpass" },
      {},
      "VAULT_USERPASS_USERNAME: must be set when the method is userpass: it is not set",
      "VAULT_USERPASS_PASSWORD_FILE: must be set when the method is userpass: it is not set",
    ],
    [
      "name a user whose name would be another path",
      {
        VAULT_AUTH_METHOD: "userpass",
        ...{ VAULT_USERPASS_USERNAME: "../x", VAULT_USERPASS_PASSWORD_FILE: "/p" },
      },
      {},
      'VAULT_USERPASS_USERNAME: must be the name of a user: letters, digits, _, . and -: got "../x"',
    ],
    [
      "name hints without the operator's address",
      { SVC_HINTS: "true" },
      {},
      "SVC_HINTS: must be set together with SVC_PERMITS_ADDR: that is not set",
    ],
    [
      "show nothing of a wrong role id",
      { VAULT_AUTH_METHOD: "approle", VAULT_APPROLE_ROLE_ID: 'CANARY"' },
      {},
      "VAULT_APPROLE_ROLE_ID: must be visible ASCII without quotes and backslashes: the value given is not (it is not shown)",
    ],
    [
      "name a misspelt method once",
      { VAULT_AUTH_METHOD: "kubernets", VAULT_AUTH_ROLE: "" },
      {},
      'VAULT_AUTH_METHOD: must be one of kubernetes, jwt, approle, cert, userpass, token: got "kubernets"',
    ],
    [
      "name a mount path that climbs",
      { VAULT_AUTH_MOUNT_PATH: "auth/../sys" },
      {},
      'VAULT_AUTH_MOUNT_PATH: must be the path of an auth method, such as kubernetes or auth/kubernetes: got "auth/../sys"',
    ],
    [
      "name a map with another number of groups than paths",
      { SVC_ENV_MAP: "a=A;b=B" },
      {},
      "SVC_ENV_MAP: must be a map with one group for each path of SVC_SECRET_PATHS: got 2 groups for 1 path",
    ],
    [
      "name both places of a variable that is mapped twice",
      { SVC_ENV_MAP: "a=A,b=A" },
      {},
      "SVC_ENV_MAP: must be a map that names each variable once: A is in mapping 1 of group 1 and in mapping 2 of group 1",
    ],
    [
      "name an agent that is required and nowhere",
      { SVC_REQUIRE_AGENT: "true" },
      {},
      "SVC_REQUIRE_AGENT: must be set together with SVC_EBPF_AGENT_ADDR or SVC_EBPF_NODE_IP: neither is set",
    ],
    [
      "name a key for the agent without its certificate",
      { SVC_EBPF_AGENT_KEY: "/key.pem" },
      {},
      "SVC_EBPF_AGENT_CERT: must be set together with SVC_EBPF_AGENT_KEY: it is not set",
    ],
    [
      "name reserved variables",
      { SVC_ENV_MAP: "a=SVC_SECRET_FD,b=LD_PRELOAD,*=LD_*" },
      {},
      ...["SVC_SECRET_FD", "LD_PRELOAD", "LD_"].map(
        (name) =>
          `SVC_ENV_MAP: must be a map without variables of the wrapper and the dynamic loader: it names ${name}`,
      ),
    ],
    [
      "name a secret list together with a map",
      {},
      { flags: ["--secrets=A"] },
      "--secrets: must be given without SVC_ENV_MAP: both are set",
    ],
    [
      "name both places of a key that is listed twice",
      { SVC_ENV_MAP: "" },
      { flags: ["--secrets=A,A=kv/data/a"] },
      "--secrets: must be a map that names each variable once: A is in item 1 and in item 2",
    ],
    [
      "name a reserved key of a secret list",
      { SVC_ENV_MAP: "" },
      { flags: ["--secrets=LD_AUDIT"] },
      "--secrets: must be a map without variables of the wrapper and the dynamic loader: it names LD_AUDIT",
    ],
    [
      "name an item that may mean a version or a field",
      { SVC_ENV_MAP: "" },
      { flags: ["--secrets=A=kv/data/a#3"] },
      '--secrets: must be KEY or VAR=mount/data/path#field with the name of a field behind # (item 1): got "A=kv/data/a#3"',
    ],
    [
      "name a broker certificate without its key",
      { SVC_BROKER_TLS_CERT: "/c.pem" },
      {},
      "SVC_BROKER_TLS_KEY: must be set together with SVC_BROKER_TLS_CERT: it is not set",
    ],
    [
      "name a broker certificate without its key beside a CA, once",
      { SVC_BROKER_TLS_CERT: "/c.pem", SVC_BROKER_TLS_CA: "/ca.pem" },
      {},
      "SVC_BROKER_TLS_KEY: must be set together with SVC_BROKER_TLS_CERT: it is not set",
    ],
    [
      "name a flag of its own command line",
      {},
      { flags: ["--once-ready"] },
      "--once-ready: must be the first word: it was given as a flag",
    ],
    [
      "name a broker CA without a certificate",
      { SVC_BROKER_TLS_CA: "/ca.pem" },
      {},
      "SVC_BROKER_TLS_CA: must be set together with SVC_BROKER_TLS_CERT and SVC_BROKER_TLS_KEY: they are not set",
    ],
    [
      "name a client key without its certificate",
      { VAULT_CLIENT_KEY: "/k.pem" },
      {},
      "VAULT_CLIENT_CERT: must be set together with VAULT_CLIENT_KEY: it is not set",
    ],
    [
      "name each setting that needs a wrapper beside the program",
      {
        ...{ SVC_SUPERVISE: "never", SVC_ROTATION: "restart", SVC_RESTART: "always" },
        ...{ SVC_DELIVERY: "inject", SVC_FOLLOW: "trace", SVC_REQUIRE_AGENT: "true" },
        SVC_EBPF_AGENT_ADDR: "unix:///agent.sock",
      },
      {},
      ...[
        "SVC_ROTATION",
        "SVC_RESTART",
        "SVC_DELIVERY",
        "SVC_FOLLOW",
        "SVC_EBPF_AGENT_ADDR",
        "SVC_REQUIRE_AGENT",
      ].map(
        (name) =>
          `${name}: must be left out if SVC_SUPERVISE is never: it needs the wrapper beside the program`,
      ),
    ],
    [
      "name a delivery that there is not",
      { SVC_DELIVERY: "file" },
      {},
      'SVC_DELIVERY: must be one of auto, library, inject, preload, env: got "file"',
    ],
    [
      "name variables that cannot be passed on",
      { SVC_PASS_ENV: "VAULT_TOKEN,VAULT_APPROLE_ROLE_ID" },
      {},
      "SVC_PASS_ENV: must be a list without VAULT_TOKEN: it is there",
      "SVC_PASS_ENV: must be a list without VAULT_APPROLE_ROLE_ID: it is there",
    ],
    [
      "name a missing program",
      { SVC_ORIGINAL_CMD: "" },
      {},
      "SVC_ORIGINAL_CMD: must be set to a program, or a program given after --: it is not set",
    ],
    [
      "name an empty program",
      { SVC_ORIGINAL_CMD: "[]" },
      {},
      "SVC_ORIGINAL_CMD: must be set to a program, or a program given after --: it names none",
    ],
    [
      "name an interval of nothing",
      { RENEWAL_INTERVAL: "0s" },
      {},
      'RENEWAL_INTERVAL: must be a duration of at least 100ms: got "0s"',
    ],
    [
      "name an interval longer than a timer can wait",
      { RENEWAL_INTERVAL: "720h" },
      {},
      'RENEWAL_INTERVAL: must be a duration of at most 596h31m23.647s: got "720h"',
    ],
    [
      "name a pod UID that would leave its cgroup",
      { SVC_POD_UID: "../x" },
      {},
      'SVC_POD_UID: must be the UID of a pod, of letters, digits and -: got "../x"',
    ],
    [
      "name a pod UID with something behind it",
      { SVC_POD_UID: "0f3b1c7e/x" },
      {},
      'SVC_POD_UID: must be the UID of a pod, of letters, digits and -: got "0f3b1c7e/x"',
    ],
    [
      "name a pod UID that is too long",
      { SVC_POD_UID: "a".repeat(129) },
      {},
      expect.stringMatching(/^SVC_POD_UID: must be the UID of a pod/),
    ],
    [
      "name a program given without --",
      { SVC_ORIGINAL_CMD: "" },
      { flags: ["printenv"] },
      '"printenv": must be a flag: it is not one',
      "SVC_ORIGINAL_CMD: must be set to a program, or a program given after --: it is not set",
    ],
  ];
  for (const [name, environment, extras, ...messages] of rows) {
    test(name, () => {
      expect(messagesOf({ ...least, ...environment }, extras)).toEqual(messages);
    });
  }

  test("name the vault unless a secret is a file", () => {
    const asks = (items: string) =>
      messagesOf({}, { flags: [`--secrets=${items},=`] }).some((text) =>
        text.startsWith("VAULT_ADDR: must be set"),
      );
    expect(asks("A=secret/data/a#file:x")).toBe(true);
    expect(asks("A")).toBe(true);
    expect(asks("A= file:/run/a")).toBe(false);
    expect(asks("file:/run/a")).toBe(false);
  });

  test("name everything that is missing at once", () => {
    expect(messagesOf({})).toEqual([
      "VAULT_ADDR: must be set: it is not set",
      "VAULT_AUTH_ROLE: must be set when the method is kubernetes: it is not set",
      "SVC_SECRET_PATHS: must be set: it is not set",
      "SVC_ENV_MAP: must be set: it is not set",
      "SVC_ORIGINAL_CMD: must be set to a program, or a program given after --: it is not set",
    ]);
  });

  test("show neither tokens nor the words of the program", () => {
    const result = parse(
      { ...least, SVC_ORIGINAL_CMD: '["hunter2"', SVC_ORIGINAL_ARGS: '{"hunter2"' },
      { flags: ["--vault-token", "hunter2", "--token=hunter2"] },
    );
    expect(result.kind === "problems" ? result.problems.length : 0).toBe(4);
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });
});
