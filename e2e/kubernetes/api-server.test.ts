import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import {
  applyObject,
  askKubernetes,
  createServiceAccountToken,
  type Kubernetes,
  reviewerToken,
  startKubernetes,
  waitFor,
} from "@svc/testing";

const TIMEOUT_MS = 240_000;
const KEYS = "/api/v1/namespaces/shop/secrets/keys";
const REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const METADATA = { namespace: "shop", name: "keeper" } as const;

let running: Kubernetes | undefined;
/** A token of an account whose Role allows it to read and change one Secret. */
let keeperToken = "";
const kube = (): Kubernetes => running ?? fail();
const fail = (): never => {
  throw new TypeError("the API server did not start");
};

beforeAll(async () => {
  running = await startKubernetes();
  await applyObject(kube(), { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  await applyObject(kube(), { apiVersion: "v1", kind: "ServiceAccount", metadata: METADATA });
  await writeSecretObject("keys", "first");
  await writeSecretObject("others", "hidden");
  await allowKeeper();
  keeperToken = await createServiceAccountToken(kube(), "shop", "keeper");
}, TIMEOUT_MS);
afterAll(async () => {
  await running?.stop();
});

async function writeSecretObject(name: string, value: string): Promise<void> {
  const metadata = { namespace: "shop", name };
  const stringData = { value };
  await applyObject(kube(), { apiVersion: "v1", kind: "Secret", metadata, stringData });
}

async function allowKeeper(): Promise<void> {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const rule = { apiGroups: [""], resources: ["secrets"], resourceNames: ["keys"] };
  const rules = [{ ...rule, verbs: ["get", "update"] }];
  await applyObject(kube(), { apiVersion, kind: "Role", metadata: METADATA, rules });
  await applyObject(kube(), {
    apiVersion,
    kind: "RoleBinding",
    metadata: METADATA,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "keeper" },
    subjects: [{ kind: "ServiceAccount", ...METADATA }],
  });
}

describe("the administrator", () => {
  test("finds the release that was built", async () => {
    const { body } = await askKubernetes(kube(), { method: "GET", path: "/version" });
    expect(body).toMatchObject({ gitVersion: "v1.36.3", major: "1", minor: "36" });
  });

  test("finds an object changed that was applied again", async () => {
    await writeSecretObject("changing", "one");
    await writeSecretObject("changing", "two");
    const path = "/api/v1/namespaces/shop/secrets/changing";
    const { body } = await askKubernetes(kube(), { method: "GET", path });
    expect(body).toMatchObject({ data: { value: btoa("two") } });
  });

  test("has a kubeconfig with the address and the token, for its owner only", async () => {
    const { kubeconfig, address, token, caPem } = kube();
    const parsed: unknown = Bun.YAML.parse(await Bun.file(kubeconfig).text());
    expect(parsed).toMatchObject({
      clusters: [{ cluster: { server: address, "certificate-authority-data": btoa(caPem) } }],
      users: [{ user: { token } }],
    });
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
  });
});

describe("a service account with a Role for one Secret", () => {
  const asked: Readonly<Record<string, readonly [status: number, ...Parameters<typeof request>]>> =
    {
      "reads it": [200, "GET", KEYS],
      "replaces it": [200, "PUT", KEYS, { value: btoa("second") }],
      "does not delete it": [403, "DELETE", KEYS],
      "does not patch it": [403, "PATCH", KEYS, {}],
      "does not read another": [403, "GET", "/api/v1/namespaces/shop/secrets/others"],
      "does not list them": [403, "GET", "/api/v1/namespaces/shop/secrets"],
      "does not see pods": [403, "GET", "/api/v1/namespaces/shop/pods"],
      "does not see namespaces": [403, "GET", "/api/v1/namespaces"],
      "does not review tokens": [403, "POST", REVIEWS],
    };
  for (const [what, [status, ...words]] of Object.entries(asked)) {
    test(`${what}: ${status}`, async () => {
      const reply = await askKubernetes({ ...kube(), token: keeperToken }, request(...words));
      expect([reply.status, reply.body?.["message"]]).toEqual([
        status,
        status === 200 ? undefined : expect.stringContaining("forbidden"),
      ]);
    });
  }
});

function request(method: "GET" | "PUT" | "PATCH" | "DELETE" | "POST", path: string, data?: object) {
  const metadata = { namespace: "shop", name: "keys" };
  const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: {} };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, data };
  const body = method === "POST" ? review : secret;
  return { method, path, ...(method !== "GET" && { body, contentType }) };
}

test("anonymous clients and strangers get nothing", async () => {
  const statuses = ["", "a-guess"].map(async (token) => {
    const reply = await askKubernetes({ ...kube(), token }, { method: "GET", path: KEYS });
    return reply.status;
  });
  expect(await Promise.all(statuses)).toEqual([403, 401]);
});

describe("a reviewer", () => {
  test("learns whose token it is", async () => {
    expect(await review(keeperToken)).toMatchObject({
      authenticated: true,
      user: {
        username: "system:serviceaccount:shop:keeper",
        groups: expect.arrayContaining(["system:serviceaccounts:shop"]),
      },
    });
  });

  test("learns that a token is for another audience", async () => {
    const token = await createServiceAccountToken(kube(), "shop", "keeper", {
      audiences: ["vault"],
      expirationSeconds: 600,
    });
    expect(await review(token)).not.toHaveProperty("authenticated", true);
    expect(await review(token, ["vault"])).toMatchObject({
      authenticated: true,
      audiences: ["vault"],
    });
  });

  test("learns that a token is forged", async () => {
    const [head = "", body = ""] = keeperToken.split(".");
    const forged = [head, body, "A".repeat(342)].join(".");
    expect(await review(forged)).not.toHaveProperty("authenticated", true);
  });

  test("learns that the account of a token is gone", async () => {
    const metadata = { namespace: "shop", name: "leaving" };
    await applyObject(kube(), { apiVersion: "v1", kind: "ServiceAccount", metadata });
    // Two, because the server remembers its answer about a token for ten seconds.
    const [before, after] = await Promise.all([1, 2].map(() => leavingToken()));
    expect(await review(before ?? "")).toHaveProperty("authenticated", true);
    const path = "/api/v1/namespaces/shop/serviceaccounts/leaving";
    await askKubernetes(kube(), { method: "DELETE", path });
    await waitFor(async () => !("authenticated" in (await review(after ?? ""))), {
      deadlineMs: 20_000,
      what: "the token to be refused",
    });
  });
});

test("a server that was stopped, even twice, has left nothing behind", async () => {
  const { address, caPem, kubeconfig, stop } = kube();
  await Promise.all([stop(), stop()]);
  expect(fetch(address, { tls: { ca: caPem } })).rejects.toThrow();
  expect(existsSync(kubeconfig)).toBe(false);
});

function leavingToken(): Promise<string> {
  return createServiceAccountToken(kube(), "shop", "leaving");
}

/** The API server's review of a token, for an account with that right. */
async function review(token: string, audiences?: readonly string[]): Promise<object> {
  const reviewer = { ...kube(), token: await reviewerToken(kube()) };
  const spec = { token, ...(audiences && { audiences }) };
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec };
  const reply = await askKubernetes(reviewer, { method: "POST", path: REVIEWS, body });
  expect(reply.status).toBe(201);
  const status = reply.body?.["status"];
  return typeof status === "object" && status !== null ? status : {};
}
