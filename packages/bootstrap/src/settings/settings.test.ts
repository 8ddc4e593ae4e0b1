import { describe, expect, test } from "bun:test";
import { type BootstrapSettings, bootstrapVariables } from "../settings.ts";
import { encryptionVariables } from "./key-variables.ts";
import { hintsVariables } from "./role-variables.ts";
import { least, messagesOf, parse, settingsOf, warningsOf } from "./testdata/least-environment.ts";

const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
/** The specification's table, and the setting of each row. */
const rows: readonly {
  readonly name: string;
  readonly flag: string;
  /** Undefined if the variable is required. */
  readonly standard: unknown;
  readonly text: string;
  readonly value: unknown;
  readonly read: (settings: BootstrapSettings) => unknown;
}[] = [
  {
    name: "STORE_ADDR",
    flag: "store-addr",
    standard: undefined,
    text: "http://10.0.0.1:8200/",
    value: "http://10.0.0.1:8200",
    read: ({ store }) => store.address,
  },
  {
    name: "STORE_NAMESPACE",
    flag: "namespace",
    standard: undefined,
    text: "secrets",
    value: "secrets",
    read: ({ store }) => store.namespace,
  },
  {
    name: "STORE_RELEASE_NAME",
    flag: "release-name",
    standard: undefined,
    text: "bao-2",
    value: "bao-2",
    read: ({ store }) => store.releaseName,
  },
  {
    name: "STORE_POD_PREFIX",
    flag: "pod-prefix",
    standard: undefined,
    text: "bao-openbao",
    value: "bao-openbao",
    read: ({ store }) => store.podPrefix,
  },
  {
    name: "BOOTSTRAP_POLICY_SCOPE",
    flag: "policy-scope",
    standard: "all",
    text: "service-account",
    value: "service-account",
    read: ({ policyScope }) => policyScope,
  },
  {
    name: "BOOTSTRAP_ROLE_TOKEN_TYPE",
    flag: "role-token-type",
    standard: "service",
    text: "batch",
    value: "batch",
    read: ({ role }) => role.tokenType,
  },
  {
    name: "BOOTSTRAP_HINTS_ROLE",
    flag: "hints-role",
    standard: undefined,
    text: "svc-version-hints",
    value: {
      name: "svc-version-hints",
      account: { namespace: "svc-system", name: "svc-operator" },
    },
    read: ({ hints }) => hints,
  },
  {
    name: "STORE_DATA_CLAIM",
    flag: "data-claim",
    standard: "data",
    text: "disk",
    value: "disk",
    read: ({ dataClaim }) => dataClaim,
  },
  {
    name: "BOOTSTRAP_RESET_SETTLE",
    flag: "reset-settle",
    standard: 15_000,
    text: "1m",
    value: 60_000,
    read: ({ settleMs }) => settleMs,
  },
  {
    name: "BOOTSTRAP_RESET_UNFINISHED",
    flag: "reset-unfinished",
    standard: false,
    text: "true",
    value: true,
    read: ({ resetUnfinished }) => resetUnfinished,
  },
  {
    name: "BOOTSTRAP_SHAMIR_SHARES",
    flag: "shamir-shares",
    standard: 5,
    text: "255",
    value: 255,
    read: ({ shamir }) => shamir.shares,
  },
  {
    name: "BOOTSTRAP_SHAMIR_THRESHOLD",
    flag: "shamir-threshold",
    standard: 3,
    text: "5",
    value: 5,
    read: ({ shamir }) => shamir.threshold,
  },
  {
    name: "KUBECONFIG",
    flag: "kubeconfig",
    standard: undefined,
    text: "/a/config::conf",
    value: ["/a/config", "conf"],
    read: ({ cluster }) => cluster.kubeconfig,
  },
  {
    name: "BOOTSTRAP_WAIT",
    flag: "wait",
    standard: 300_000,
    text: "1m30s",
    value: 90_000,
    read: ({ waitMs }) => waitMs,
  },
  {
    name: "BOOTSTRAP_KUBERNETES_HOST",
    flag: "kubernetes-host",
    standard: "https://kubernetes.default.svc:443",
    text: "https://10.0.0.1:6443",
    value: "https://10.0.0.1:6443",
    read: ({ review }) => review.host,
  },
  {
    name: "BOOTSTRAP_REVOKE_ROOT",
    flag: "revoke-root",
    standard: false,
    text: "true",
    value: true,
    read: ({ revokeRoot }) => revokeRoot,
  },
  {
    name: "BOOTSTRAP_KV_PATH",
    flag: "kv-path",
    standard: "secret",
    text: "/team/kv/",
    value: "team/kv",
    read: ({ kvPath }) => kvPath,
  },
  {
    name: "BOOTSTRAP_AUTH_PATH",
    flag: "auth-path",
    standard: "kubernetes",
    text: "auth/cluster-1",
    value: "cluster-1",
    read: ({ authPath }) => authPath,
  },
  {
    name: "BOOTSTRAP_POLICY_NAME",
    flag: "policy-name",
    standard: "svc",
    text: "read-secrets",
    value: "read-secrets",
    read: ({ policyName }) => policyName,
  },
  {
    name: "BOOTSTRAP_ROLE_NAME",
    flag: "role-name",
    standard: "svc",
    text: "apps",
    value: "apps",
    read: ({ role }) => role.name,
  },
  {
    name: "BOOTSTRAP_OUTPUT_SECRET",
    flag: "output-secret",
    standard: "svc-vault-init",
    text: "keys.of.store",
    value: "keys.of.store",
    read: ({ outputSecret }) => outputSecret,
  },
  {
    name: "BOOTSTRAP_ROLE_BOUND_SA_NAMES",
    flag: "role-bound-sa-names",
    standard: ["*"],
    text: "app, worker,app",
    value: ["app", "worker"],
    read: ({ role }) => role.boundNames,
  },
  {
    name: "BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES",
    flag: "role-bound-sa-namespaces",
    standard: ["*"],
    text: "shop,billing",
    value: ["shop", "billing"],
    read: ({ role }) => role.boundNamespaces,
  },
  {
    name: "BOOTSTRAP_ROLE_TTL",
    flag: "role-ttl",
    standard: 3600,
    text: "90m",
    value: 5400,
    read: ({ role }) => role.ttlSeconds,
  },
  {
    name: "BOOTSTRAP_ROLE_AUDIENCE",
    flag: "role-audience",
    standard: undefined,
    text: "https://store.example",
    value: "https://store.example",
    read: ({ role }) => role.audience,
  },
  ...(
    [
      ["VAULT_SKIP_VERIFY", "vault-skip-verify", "skipVerify", false, "true", true],
      ["VAULT_CACERT", "vault-cacert", "caCertPath", undefined, "/ca.pem", "/ca.pem"],
      ["VAULT_CACERT_BYTES", "vault-cacert-bytes", "caCertBytes", undefined, pem, pem],
      ["VAULT_CAPATH", "vault-capath", "caPath", undefined, "/ca", "/ca"],
      [
        "VAULT_TLS_SERVER_NAME",
        "vault-tls-server-name",
        "serverName",
        undefined,
        "store.example",
        "store.example",
      ],
    ] as const
  ).map(([name, flag, key, standard, text, value]) => ({
    ...{ name, flag, standard, text, value },
    read: ({ store }: BootstrapSettings) => store.tls[key],
  })),
];

/** Rows that are set together or not at all. */
const pairs = [
  [
    { name: "VAULT_CLIENT_CERT", text: "/c.pem", key: "clientCertPath" },
    { name: "VAULT_CLIENT_KEY", text: "/k.pem", key: "clientKeyPath" },
  ],
  [
    { name: "BOOTSTRAP_KUBERNETES_CA_CERT", text: "/ca.pem", key: "caCertPath" },
    { name: "BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE", text: "/jwt", key: "reviewerTokenPath" },
  ],
] as const;

const flagsOnly: readonly {
  readonly name: string;
  readonly standard: unknown;
  readonly words: readonly string[];
  readonly value: unknown;
  readonly read: (settings: BootstrapSettings) => unknown;
}[] = [
  {
    name: "--context",
    standard: undefined,
    words: ["--context", "prod"],
    value: "prod",
    read: ({ cluster }) => cluster.context,
  },
  {
    name: "--output",
    standard: "text",
    words: ["-o", "json"],
    value: "json",
    read: ({ output }) => output,
  },
  {
    name: "--dry-run",
    standard: false,
    words: ["--dry-run"],
    value: true,
    read: ({ dryRun }) => dryRun,
  },
  {
    name: "--token-stdin",
    standard: false,
    words: ["--token-stdin"],
    value: true,
    read: ({ tokenStdin }) => tokenStdin,
  },
];

describe("settings of the store bootstrap", () => {
  for (const { name, standard, words, value, read } of flagsOnly) {
    test(`${name} is read, and no variable stands for it`, () => {
      expect(read(settingsOf(least))).toEqual(standard);
      expect(read(settingsOf(least, words))).toEqual(value);
    });
  }

  for (const pair of pairs) {
    const [one, other] = pair;
    for (const [set, missing] of [pair, [other, one]] as const) {
      test(`${set.name} without ${missing.name} is a problem`, () => {
        expect(messagesOf({ ...least, [set.name]: set.text })).toEqual([
          `${missing.name}: must be set together with ${set.name}: it is not set`,
        ]);
      });
    }
    test(`${one.name} and ${other.name} are read together`, () => {
      const settings = settingsOf({ ...least, [one.name]: one.text, [other.name]: other.text });
      const read = { ...settings.store.tls, ...settings.review.files };
      expect(read).toMatchObject({ [one.key]: one.text, [other.key]: other.text });
    });
  }

  for (const { name, flag, standard, text, value, read } of rows) {
    const given = { ...least, [name]: text };
    test(`${name} is read, and --${flag} takes precedence over it`, () => {
      expect(read(settingsOf(given))).toEqual(value);
      expect(read(settingsOf({ ...least, [name]: "\n*," }, [`--${flag}=${text}`]))).toEqual(value);
    });
    if (name in least) {
      test(`${name} is required`, () => {
        expect(messagesOf({ ...least, [name]: "" })).toEqual([
          `${name}: must be set: it is not set`,
        ]);
      });
    } else {
      test(`${name} has its default`, () => {
        expect(read(settingsOf(least))).toEqual(standard);
      });
    }
  }

  test("have a test for every variable", () => {
    const names = Object.values(bootstrapVariables).map(({ name }) => name);
    const elsewhere = [...Object.values(encryptionVariables), hintsVariables.hintsAccount];
    const tested = [...rows, ...pairs.flat(), ...flagsOnly, ...elsewhere].map(({ name }) => name);
    expect(tested.toSorted()).toEqual(names.toSorted());
  });

  test("BOOTSTRAP_HINTS_SA is read beside BOOTSTRAP_HINTS_ROLE", () => {
    const environment = { BOOTSTRAP_HINTS_ROLE: "hints", BOOTSTRAP_HINTS_SA: "ops/svc" };
    expect(settingsOf({ ...least, ...environment }).hints).toEqual({
      ...{ name: "hints", account: { namespace: "ops", name: "svc" } },
    });
  });

  test("are the same after JSON", () => {
    const settings = settingsOf(least);
    expect(JSON.parse(JSON.stringify(settings))).toEqual(settings);
  });

  test.each([
    ["--help", "help"],
    ["--version", "version"],
  ] as const)("%s takes precedence over every problem", (flag, kind) => {
    expect(parse({}, ["--nonsense", flag]).kind).toBe(kind);
  });
});

describe("warnings of the store bootstrap", () => {
  const wide = [
    "BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES: * with any name lets every pod of the cluster read every secret: set BOOTSTRAP_POLICY_SCOPE to service-account, or name who may",
    "BOOTSTRAP_ROLE_AUDIENCE: is not set: a token that was made for another service can log in too",
  ];
  const narrow = { ...least, BOOTSTRAP_ROLE_AUDIENCE: "store", BOOTSTRAP_ROLE_BOUND_SA_NAMES: "a" };
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] =
    [
      ["are given for the defaults of the role", least, wide],
      ["are absent if the role is narrow", narrow, []],
      [
        "do not name the defaults of the role if each reads its own secrets",
        { ...least, BOOTSTRAP_POLICY_SCOPE: "namespace" },
        wide.slice(1),
      ],
      [
        "are given for one share",
        { ...narrow, BOOTSTRAP_SHAMIR_SHARES: "1", BOOTSTRAP_SHAMIR_THRESHOLD: "1" },
        ["BOOTSTRAP_SHAMIR_SHARES: 1 share is the whole key: its holder can unseal alone"],
      ],
      [
        "are given for plain HTTP and no verification",
        { ...narrow, STORE_ADDR: "http://store.vault.svc:8200", VAULT_SKIP_VERIFY: "true" },
        [
          "VAULT_SKIP_VERIFY: the store's certificate is not verified: development only",
          "STORE_ADDR: http sends the key shares and the root token over the network unencrypted",
        ],
      ],
      [
        "are given for a root token that is to be revoked",
        { ...narrow, BOOTSTRAP_REVOKE_ROOT: "true" },
        [
          "BOOTSTRAP_REVOKE_ROOT: make sure that another account may administer the store: OpenBao from 2.5.3 on makes no new root token from key shares alone",
        ],
      ],
      [
        "are given for a misspelt name",
        { ...narrow, BOOTSTRAP_ROLE_TLL: "2h" },
        [
          "BOOTSTRAP_ROLE_TLL: is not a variable of ours and has no effect: did you mean BOOTSTRAP_ROLE_TTL?",
        ],
      ],
    ];
  for (const [name, environment, warnings] of cases) {
    test(name, () => expect(warningsOf(environment)).toEqual([...warnings]));
  }
});
