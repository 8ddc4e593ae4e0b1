import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  BootstrapError,
  ensureAuthConfig,
  ensureAuthMount,
  ensureKvMount,
  ensurePolicy,
  ensureRole,
  hintsPolicyText,
  policyText,
  type RoleRequest,
  type StepOutcome,
  type StoreAccess,
} from "@svc/bootstrap";
import { callBao, certificateAuthority, type OpenBao, startOpenBao } from "@svc/testing";
import { Secret } from "@svc/vault";
import { administer } from "../harness/stores/opened-store.ts";

let bao: OpenBao;
let access: StoreAccess;
let caPem: string;
beforeAll(async () => {
  bao = await startOpenBao({ storage: "inmem" });
  access = { admin: administer(bao.address), token: new Secret(bao.rootToken) };
  caPem = (await certificateAuthority()).certificatePem;
});
afterAll(() => bao.stop());

const post = (path: string, body: object) => callBao(bao, { method: "POST", path, body });
const role: RoleRequest = {
  authPath: "cluster",
  name: "svc",
  policyName: "svc",
  boundNames: ["app", "worker"],
  boundNamespaces: ["*"],
  ttlSeconds: 3600,
  tokenType: "service",
};

/** A step, and a change that another client may make to its object afterwards. */
interface Story {
  readonly name: string;
  readonly ensure: (access: StoreAccess) => Promise<StepOutcome>;
  readonly drifts: readonly {
    readonly name: string;
    readonly make: () => Promise<unknown>;
    readonly differs: readonly string[];
  }[];
}

const stories: readonly Story[] = [
  { name: "the KV engine", ensure: (to) => ensureKvMount(to, "team/kv"), drifts: [] },
  { name: "the auth method", ensure: (to) => ensureAuthMount(to, "cluster"), drifts: [] },
  {
    name: "the auth method's configuration",
    ensure: (to) =>
      ensureAuthConfig(to, "cluster", {
        host: "https://10.0.0.1:443",
        caPem: `${caPem}\n`,
        reviewerToken: new Secret("a.b.c"),
        outside: true,
      }),
    drifts: [
      {
        name: "another API server, with foreign fields",
        make: () =>
          post("auth/cluster/config", {
            kubernetes_host: "https://10.0.0.2:443",
            kubernetes_ca_cert: caPem,
            token_reviewer_jwt: "d.e.f",
            disable_local_ca_jwt: true,
            issuer: "https://issuer.example",
          }),
        differs: ["kubernetes_host"],
      },
      {
        name: "no reviewer's token",
        make: () =>
          post("auth/cluster/config", {
            kubernetes_host: "https://10.0.0.1:443",
            kubernetes_ca_cert: caPem,
            disable_local_ca_jwt: true,
          }),
        differs: ["token_reviewer_jwt"],
      },
    ],
  },
  {
    name: "the policy",
    ensure: (to) => ensurePolicy(to, { name: "svc", text: policyText("team/kv") }),
    drifts: [
      {
        name: "more rights",
        make: () =>
          post("sys/policies/acl/svc", {
            policy: 'path "team/kv/*" { capabilities = ["read", "update"] }',
          }),
        differs: ["policy"],
      },
    ],
  },
  {
    name: "the policy of hints",
    ensure: (to) =>
      ensurePolicy(to, { name: "hints", text: hintsPolicyText("team/kv") }, "hints-policy"),
    drifts: [],
  },
  {
    name: "the role",
    ensure: (to) => ensureRole(to, role),
    drifts: [
      {
        name: "another life, written as a duration",
        make: () => post("auth/cluster/role/svc", { token_ttl: "90m" }),
        differs: ["token_ttl"],
      },
      {
        name: "tokens of another type",
        make: () => post("auth/cluster/role/svc", { token_type: "batch" }),
        differs: ["token_type"],
      },
      {
        name: "more names, more policies and a selector",
        make: () =>
          post("auth/cluster/role/svc", {
            bound_service_account_names: ["app", "worker", "other"],
            bound_service_account_namespaces: ["shop"],
            bound_service_account_namespace_selector: '{"matchLabels":{"a":"b"}}',
            token_policies: ["svc", "admin"],
          }),
        differs: [
          "bound_service_account_names",
          "bound_service_account_namespaces",
          "token_policies",
          "bound_service_account_namespace_selector",
        ],
      },
    ],
  },
];

for (const { name, ensure, drifts } of stories) {
  describe(name, () => {
    test("is said to be created, and not created, in a dry run", async () => {
      const dry = { ...access, dryRun: true };
      expect((await ensure(dry)).outcome).toBe("created");
      expect((await ensure(dry)).outcome).toBe("created");
    });

    test("is created, and then left as it is", async () => {
      expect(await ensure(access)).toMatchObject({ outcome: "created" });
      const second = await ensure(access);
      expect(second).toEqual({ step: second.step, outcome: "unchanged" });
    });

    for (const drift of drifts) {
      test(`is brought back from ${drift.name}`, async () => {
        await drift.make();
        const expected = { outcome: "updated", differs: [...drift.differs] };
        expect(await ensure({ ...access, dryRun: true })).toMatchObject(expected);
        expect(await ensure(access)).toMatchObject(expected);
        expect((await ensure(access)).outcome).toBe("unchanged");
      });
    }
  });
}

describe("settings of another client", () => {
  const read = (path: string) => access.admin.read(access.token, path);

  test("stays in the role: an audience, the order of names, fields that are not ours", async () => {
    const names = ["worker", "app", "app"];
    const others = { audience: "store", token_max_ttl: 7200, token_bound_cidrs: ["10.0.0.0/8"] };
    await post("auth/cluster/role/svc", { bound_service_account_names: names, ...others });
    expect((await ensureRole(access, role)).outcome).toBe("unchanged");
    const wanted = { ...role, ttlSeconds: 600, boundNames: ["app"] };
    expect((await ensureRole(access, wanted)).outcome).toBe("updated");
    expect(JSON.parse(JSON.stringify(await read("auth/cluster/role/svc")))).toMatchObject({
      ...others,
      token_ttl: 600,
      bound_service_account_names: ["app"],
    });
  });

  test("is replaced in the role if an audience is wanted", async () => {
    const outcome = await ensureRole(access, { ...role, audience: "https://store.example" });
    expect(outcome.differs).toContain("audience");
  });

  test("stays in the configuration: the issuer", async () => {
    const host = "https://10.0.0.3:443";
    const ours = { outside: true, reviewerToken: new Secret("a.b.c") };
    await post("auth/cluster/config", {
      ...{ kubernetes_host: "https://x:1", kubernetes_ca_cert: caPem, disable_local_ca_jwt: true },
      issuer: "https://issuer.example",
    });
    expect((await ensureAuthConfig(access, "cluster", { host, ...ours })).outcome).toBe("updated");
    expect(await read("auth/cluster/config")).toMatchObject({
      issuer: "https://issuer.example",
      kubernetes_ca_cert: caPem,
      token_reviewer_jwt_set: true,
    });
  });

  test("is not lost: a reviewer's token that cannot be read back", async () => {
    const wanted = { host: "https://10.0.0.4:443", caPem, outside: true };
    expect(await codeOf(ensureAuthConfig(access, "cluster", wanted))).toBe("REVIEWER_IN_THE_WAY");
  });
});

describe("something else in the way", () => {
  const kv = (path: string) => () => ensureKvMount(access, path);
  const auth = (path: string) => () => ensureAuthMount(access, path);
  const rows: readonly (readonly [string, () => Promise<unknown>, string, string])[] = [
    ["a KV engine of version 1", kv("old"), "MOUNT_IN_THE_WAY", "version 1"],
    ["a KV engine without a version", kv("plain"), "MOUNT_IN_THE_WAY", "version 1"],
    ["another engine", kv("transit"), "MOUNT_IN_THE_WAY", 'type "transit"'],
    ["an engine above", kv("old/kv"), "MOUNT_IN_THE_WAY", "a mount at old/"],
    ["an engine below", kv("deep"), "MOUNT_IN_THE_WAY", "a mount at deep/kv/"],
    ["another auth method", auth("people"), "AUTH_IN_THE_WAY", 'type "userpass"'],
    ["an auth method above", auth("people/k8s"), "AUTH_IN_THE_WAY", "a mount at auth/people/"],
  ];
  const tables = async () =>
    JSON.stringify([
      await access.admin.read(access.token, "sys/mounts"),
      await access.admin.read(access.token, "sys/auth"),
    ]);

  beforeAll(async () => {
    await post("sys/mounts/old", { type: "kv", options: { version: "1" } });
    await post("sys/mounts/plain", { type: "kv" });
    await post("sys/mounts/transit", { type: "transit" });
    await post("sys/mounts/deep/kv", { type: "kv", options: { version: "2" } });
    await post("sys/auth/people", { type: "userpass" });
  });

  for (const [name, ensure, code, found] of rows) {
    test(`${name} is named, and nothing is changed`, async () => {
      const before = await tables();
      const error = await ensure().catch((it: unknown) => it);
      expect(error).toBeInstanceOf(BootstrapError);
      expect(error).toMatchObject({ code });
      expect(String(error)).toContain(found);
      expect(await tables()).toBe(before);
    });
  }
});

type Right = readonly [method: string, path: string, may: boolean];

/** The rights of the tokens of a policy, without the policy default. */
function describeRights(text: string, rows: readonly Right[]): void {
  let token: string;
  beforeAll(async () => {
    await ensurePolicy(access, { name: "svc", text });
    await post("team/kv/data/app", { data: { password: "p" } });
  });
  beforeEach(async () => {
    const made = await post("auth/token/create", { policies: ["svc"], no_default_policy: true });
    token = JSON.parse(JSON.stringify(made)).auth.client_token;
  });
  for (const [method, path, may] of rows) {
    test(`${may ? "may" : "may not"} ${method} ${path}`, async () => {
      const headers = { "X-Vault-Token": token };
      const body = method === "POST" ? { body: "{}" } : {};
      const { status } = await fetch(`${bao.address}/v1/${path}`, { method, headers, ...body });
      expect(status === 403).toBe(!may);
    });
  }
}

describe("a wrapper's token", () => {
  describeRights(policyText("team/kv"), [
    ["GET", "team/kv/data/app", true],
    ["GET", "team/kv/metadata/app", true],
    ["LIST", "team/kv/metadata/", true],
    ["GET", "auth/token/lookup-self", true],
    ["POST", "auth/token/renew-self", true],
    ["POST", "auth/token/revoke-self", true],
    ["POST", "team/kv/data/app", false],
    ["DELETE", "team/kv/data/app", false],
    ["DELETE", "team/kv/metadata/app", false],
    ["POST", "team/kv/destroy/app", false],
    ["GET", "team/kv/config", false],
    ["GET", "sys/mounts", false],
    ["GET", "sys/policies/acl/svc", false],
    ["POST", "auth/token/create", false],
    ["GET", "auth/cluster/role/svc", false],
  ]);
});

describe("the token of the operator's hints", () => {
  describeRights(hintsPolicyText("team/kv"), [
    ["GET", "team/kv/metadata/app", true],
    ["GET", "team/kv/detailed-metadata/?scan=true", true],
    ["POST", "auth/token/renew-self", true],
    ["POST", "auth/token/revoke-self", true],
    ["GET", "team/kv/data/app", false],
    ["GET", "team/kv/subkeys/app", false],
    ["POST", "team/kv/data/app", false],
    ["DELETE", "team/kv/data/app", false],
    ["POST", "team/kv/metadata/app", false],
    ["DELETE", "team/kv/metadata/app", false],
    ["GET", "team/kv/config", false],
    ["GET", "sys/mounts", false],
    ["POST", "auth/token/create", false],
    ["GET", "auth/cluster/role/svc", false],
  ]);
});

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.catch((it: unknown) => it);
  return error instanceof BootstrapError ? error.code : "none";
}
