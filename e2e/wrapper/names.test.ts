import { afterAll, describe, expect, test } from "bun:test";
import { canary } from "@svc/testing";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { goVariant, variantOf } from "../harness/programs/program-variants.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { shownDelivery } from "../harness/wrapper/shown-delivery.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

// Names that Kubernetes allows (docs/decisions/0056), as Spring and Elasticsearch want them, and
// more.
const names = [
  ...["my-key", "spring.datasource.password", "xpack.security.http.ssl.keystore", "2FA_SEED"],
  ...["with blank", "a,b;c*", "größe", "鍵🔑"],
];
const secret = Object.fromEntries(names.map((name) => [name, canary()]));
const hopeless = { "a=b": canary(), "line\nbreak": canary(), "BASH_FUNC_ls%%": canary() };
const mixed = "secret/data/mixed";
const { store, environment } = oneSecretStore({
  secrets: { "secret/data/names": secret, [mixed]: { ...hopeless, good: canary() } },
});
afterAll(() => store.stop());
expectNothingLeft();

const every = { ...environment, SVC_SECRET_PATHS: "secret/data/names", SVC_ENV_MAP: "*=*" };

describe("names with dashes, dots and more reach", () => {
  const programs = {
    "inject, glibc": ["inject", variantOf("glibc, dynamic")],
    "inject, musl, static": ["inject", variantOf("musl, static")],
    "inject, Go": ["inject", goVariant()],
    "preload, glibc": ["preload", variantOf("glibc, dynamic")],
    "preload, musl": ["preload", variantOf("musl, dynamic")],
    "env, glibc": ["env", variantOf("glibc, dynamic")],
  } as const;
  for (const [name, [delivery, program]] of Object.entries(programs)) {
    test.concurrent(`a program by ${name}`, async () => {
      const { exitCode, stdout, stderr } = await runWrapper({
        program: [program],
        environment: { ...every, SVC_DELIVERY: delivery },
      });
      const { variables, block } = shownDelivery(stdout, stderr);
      expect(exitCode).toBe(7);
      const found = names.map((key) => [key, variables.get(key)]);
      expect(Object.fromEntries(found)).toEqual(secret);
      const values = Object.values(secret);
      expect(leaksIn(block.join("\n"), values).length).toBe(delivery === "env" ? names.length : 0);
      if (delivery !== "env") expect(block).toContain("my-key=svc:protected");
      expect(leaksIn(stderr, values)).toEqual([]);
    });
  }

  // dash and busybox's sh drop such names: docs/guides/delivery.md.
  test.concurrent("a program behind bash, which hands them on", async () => {
    const { stdout, stderr } = await runWrapper({
      program: ["/bin/bash", "-c", `"$0"; exit $?`, variantOf("glibc, dynamic")],
      environment: { ...every, SVC_DELIVERY: "inject" },
    });
    const { variables } = shownDelivery(stdout, stderr);
    expect(variables.get("spring.datasource.password")).toBe(secret["spring.datasource.password"]);
  });
});

describe("names can be mapped", () => {
  const chosen = { "db.password": secret["my-key"], Größe: secret["größe"] };
  const prefixed = Object.fromEntries(names.map((name) => [`app.${name}`, secret[name]]));
  const rows = [
    ["one by one", "my-key=db.password,größe=Größe", chosen],
    ["with a prefix", "*=app.*", prefixed],
  ] as const;
  for (const [name, map, wanted] of rows) {
    test.concurrent(name, async () => {
      const { stdout, stderr } = await runWrapper({
        program: [variantOf("glibc, dynamic")],
        environment: { ...every, SVC_ENV_MAP: map },
      });
      const found = Object.fromEntries(shownDelivery(stdout, stderr).variables);
      expect(found).toMatchObject(wanted);
    });
  }

  test.concurrent("by a bare key of --secrets", async () => {
    const { SVC_ENV_MAP: _map, ...rest } = every;
    const { stdout, stderr } = await runWrapper({
      program: [variantOf("glibc, dynamic")],
      flags: ["--secrets=my-key,spring.datasource.password"],
      environment: rest,
    });
    const { variables } = shownDelivery(stdout, stderr);
    expect(variables.get("my-key")).toBe(secret["my-key"]);
  });
});

test("every name that no variable can have is refused, with a way out and without a value", async () => {
  const { exitCode, stderr } = await runWrapper({
    program: ["/bin/true"],
    environment: { ...every, SVC_SECRET_PATHS: mixed },
  });
  expect(exitCode).toBe(125);
  expect(stderr).toContain("a=b");
  expect(stderr).toContain("the name holds =");
  expect(stderr).toContain("the name holds a control character");
  expect(stderr).toContain("the name is reserved");
  expect(stderr).toContain("rename the field, or name the fields one by one");
  expect(leaksIn(stderr, Object.values(hopeless))).toEqual([]);
});

test("the way out works: the fields named one by one", async () => {
  const { stdout, stderr } = await runWrapper({
    program: [variantOf("glibc, dynamic")],
    environment: { ...every, SVC_SECRET_PATHS: mixed, SVC_ENV_MAP: "a=b=A_B,good=GOOD" },
  });
  expect(shownDelivery(stdout, stderr).variables.get("A_B")).toBe(hopeless["a=b"]);
});
