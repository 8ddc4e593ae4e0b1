import { describe, expect, test } from "bun:test";
import { type ApiRequest, type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import { canary } from "@svc/testing";
import { noCredentials, readCredentials } from "./pull-credentials.ts";

const password = canary();

function secretOf(registry: string): object {
  const file = { auths: { [registry]: { username: "me", password } } };
  return {
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": btoa(JSON.stringify(file)) },
  };
}

const refusals = { forbidden: 403, missing: 404, broken: 500 } as const;

/** An API server with Secrets that are called like their registry. */
function server() {
  const asked: string[] = [];
  const ask = async ({ path, operation }: ApiRequest): Promise<unknown> => {
    asked.push(path);
    const name = path.split("/").at(-1) ?? "";
    if (Object.hasOwn(refusals, name)) {
      const status = refusals[name as keyof typeof refusals];
      throw new KubernetesError("KUBERNETES_REFUSED", `${operation}: ${password}`, { status });
    }
    return name === "other" ? { type: "Opaque", data: {} } : secretOf(name);
  };
  const api: KubernetesApi = {
    ...{ address: "https://api.test", namespace: undefined, ask },
    watch: () => {
      throw new TypeError("not asked");
    },
  };
  return { api, asked };
}

test("credentials come in the order of the names, each Secret read once", async () => {
  const { api, asked } = server();
  const credentials = readCredentials(api);
  const { entries, problems } = await credentials("shop", ["b.test", "a.test", "b.test"]);
  expect(entries.map(({ pattern }) => pattern)).toEqual(["b.test", "a.test"]);
  expect(problems).toEqual([]);
  await credentials("shop", ["a.test"]);
  const paths = ["b.test", "a.test"].map((name) => `/api/v1/namespaces/shop/secrets/${name}`);
  expect(asked).toEqual(paths);
});

test("pods that come together ask once, and those of other namespaces for themselves", async () => {
  const { api, asked } = server();
  const credentials = readCredentials(api);
  await Promise.all(["shop", "shop", "bank"].map((place) => credentials(place, ["a.test"])));
  expect(asked).toHaveLength(2);
});

describe("unusable entries are left out and named:", () => {
  const rows: readonly (readonly [name: string, problem: string])[] = [
    [
      "forbidden",
      "read pull secret forbidden: the operator may not read Secrets of namespace shop",
    ],
    ["missing", "read pull secret missing: there is none"],
    ["broken", "read pull secret broken: the API server did not give it"],
    [
      "other",
      "read pull secret other: its type is neither kubernetes.io/dockerconfigjson nor kubernetes.io/dockercfg",
    ],
  ];
  for (const [name, problem] of rows) {
    test(name, async () => {
      const found = await readCredentials(server().api)("shop", [name, "a.test"]);
      expect(found.problems).toEqual([problem]);
      expect(found.entries).toHaveLength(1);
      expect(Bun.inspect(found)).not.toContain(password);
    });
  }
});

test("a pod with very many pull secrets has as many read as make sense", async () => {
  const { api, asked } = server();
  const names = Array.from({ length: 100 }, (_, index) => `r${index}.test`);
  await readCredentials(api)("shop", names);
  expect(asked).toHaveLength(16);
});

test("names cannot lead elsewhere", async () => {
  const { api, asked } = server();
  await readCredentials(api)("shop", ["../configmaps/x?y"]);
  expect(asked).toEqual(["/api/v1/namespaces/shop/secrets/..%2Fconfigmaps%2Fx%3Fy"]);
});

test("an operator that is not to read them says so", async () => {
  const { problems } = await noCredentials("shop", ["a", "b"]);
  expect(problems).toEqual([
    "read pull secret a, b: the operator runs without --read-pull-secrets",
  ]);
});
