import { describe, expect, test } from "bun:test";
import { Secret, type StoredFields } from "@svc/vault";
import { authConfigPlan } from "./auth-config.ts";
import { kvMountPlan } from "./kv-mount.ts";
import { policyPlan } from "./policy.ts";
import { policyText } from "./policy-text.ts";
import { type RoleRequest, rolePlan } from "./role.ts";

describe("the plan of a role", () => {
  const wanted: RoleRequest = {
    authPath: "kubernetes",
    name: "svc",
    policyName: "svc",
    boundNames: ["*"],
    boundNamespaces: ["a", "b"],
    ttlSeconds: 3600,
    tokenType: "service",
  };
  const present: StoredFields = {
    bound_service_account_names: ["*"],
    bound_service_account_namespaces: ["b", "a", "a"],
    token_policies: ["svc"],
    token_ttl: 3600,
  };
  const cases: readonly (readonly [string, StoredFields, readonly string[]])[] = [
    ["nothing differs", present, []],
    ["an audience is there", { ...present, audience: "x" }, []],
    ["the life is a text", { ...present, token_ttl: "3600" }, ["token_ttl"]],
    ["the life is absent", { ...present, token_ttl: null }, ["token_ttl"]],
    ["a list is null", { ...present, token_policies: null }, ["token_policies"]],
    ["tokens have the default type", { ...present, token_type: "default" }, []],
    ["tokens have the type service", { ...present, token_type: "service" }, []],
    ["tokens have the type batch", { ...present, token_type: "batch" }, ["token_type"]],
    ["a selector is empty", { ...present, bound_service_account_namespace_selector: "" }, []],
  ];
  for (const [name, fields, differs] of cases) {
    test(`if ${name}`, () => {
      const plan = rolePlan(fields, wanted);
      expect(plan.outcome).toBe(differs.length === 0 ? "unchanged" : "updated");
      // Only differences are written.
      if (plan.outcome === "updated") expect(Object.keys(plan.write.fields)).toEqual([...differs]);
    });
  }
});

test.each([
  ["batch", "default", "updated"],
  ["batch", "batch", "unchanged"],
] as const)(
  "a role for tokens of the type %s is changed from %s: %s",
  (tokenType, now, outcome) => {
    const role = { boundNames: ["*"], boundNamespaces: ["*"], ttlSeconds: 60, tokenType };
    const wanted = { ...role, authPath: "kubernetes", name: "svc", policyName: "svc" };
    const present: StoredFields = {
      ...{ bound_service_account_names: ["*"], bound_service_account_namespaces: ["*"] },
      ...{ token_policies: ["svc"], token_ttl: 60, token_type: now },
    };
    expect(rolePlan(present, wanted).outcome).toBe(outcome);
  },
);

test("the plan of a KV engine without a table of mounts is to mount it", () => {
  expect(kvMountPlan(undefined, "secret")).toEqual({
    outcome: "created",
    write: { path: "sys/mounts/secret", fields: { type: "kv", options: { version: "2" } } },
  });
});

test("a mount that only begins alike is not in the way", () => {
  expect(kvMountPlan({ "secrets/": { type: "kv" } }, "secret").outcome).toBe("created");
});

test("a reviewer's token that the server does not speak of counts as given", () => {
  const present = { kubernetes_host: "https://k:1", disable_local_ca_jwt: false };
  const wanted = { host: "https://k:1", reviewerToken: new Secret("a.b.c") };
  expect(authConfigPlan(present, "auth/k/config", wanted).outcome).toBe("unchanged");
});

test("a policy is compared to the letter", () => {
  const text = policyText("secret");
  expect(policyPlan({ policy: text }, { name: "svc", text }).outcome).toBe("unchanged");
  expect(policyPlan({ policy: text.trimEnd() }, { name: "svc", text }).outcome).toBe("updated");
});

test.each([
  ["namespace", ["{{NAMESPACE}}/*"]],
  ["service-account", ["{{NAMESPACE}}/{{NAME}}", "{{NAMESPACE}}/{{NAME}}/*"]],
] as const)("a policy of the scope %s reads the paths below it", (scope, paths) => {
  const text = policyText("kv", { scope, accessor: "auth_kubernetes_1" })
    .replaceAll("identity.entity.aliases.auth_kubernetes_1.metadata.service_account_name}", "NAME}")
    .replaceAll(
      /identity.entity.aliases.auth_kubernetes_1.metadata.service_account_namespace/g,
      "NAMESPACE",
    );
  const found = [...text.matchAll(/^path "kv\/(data|metadata)\/([^"]+)"/gm)];
  expect(found.map(([, , path]) => path)).toEqual([...paths, ...paths]);
});

test("the policy names the engine's paths and the token's own, and nothing else", () => {
  const paths = [...policyText("team/kv").matchAll(/^path "([^"]+)"/gm)].map(([, path]) => path);
  expect(paths).toEqual([
    "team/kv/data/*",
    "team/kv/metadata/*",
    "auth/token/lookup-self",
    "auth/token/renew-self",
    "auth/token/revoke-self",
    "sys/leases/renew",
  ]);
});
