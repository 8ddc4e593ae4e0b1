import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  answerPart,
  answerText,
  applyObject,
  callBao,
  createServiceAccountToken,
  writeSecret,
} from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { firstNode } from "./after-accident.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { runSvc } from "./run-svc.ts";
import { makeNamespace } from "./store-pods.ts";
import { type StoreRelease, startRelease } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
let cluster: Cluster;
let release: StoreRelease;
let rootToken = "";

beforeAll(async () => {
  cluster = started.use(await startCluster());
  for (const namespace of ["shop", "bank"]) {
    await makeNamespace(cluster.kube, namespace);
    for (const name of ["app", "worker"]) {
      const metadata = { namespace, name };
      await applyObject(cluster.kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    }
  }
  release = started.use(await startRelease(cluster.kube, { storage: "inmem" }));
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

async function init(more: Readonly<Record<string, string>>) {
  const environment = {
    ...cluster.environmentFor(release),
    BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES: "*",
    ...more,
  };
  return runSvc(["secretstore", "init"], { environment, hosts: release.hosts });
}

/** The paths below `secret/data/` that an account's token reads. */
async function readable(namespace: string, name: string): Promise<readonly string[]> {
  const { kube } = cluster;
  const jwt = await createServiceAccountToken(kube, namespace, name, { audiences: ["vault"] });
  const node = firstNode(release);
  const body = { role: "svc", jwt };
  const path = "auth/kubernetes/login";
  const login = await callBao({ ...node, rootToken: "" }, { method: "POST", path, body });
  const token = answerText(answerPart(login, "auth"), "client_token");
  const found = secrets.map(async (secret) => {
    const headers = { "X-Vault-Token": token };
    const { status } = await fetch(`${node.address}/v1/secret/data/${secret}`, { headers });
    return status === 200 ? [secret] : [];
  });
  return (await Promise.all(found)).flat();
}

const secrets = ["shop/app", "shop/app/db", "shop/worker", "bank/app", "bank/app/db", "common"];

const scopes = {
  all: { "shop/app": secrets, "bank/worker": secrets },
  namespace: {
    "shop/app": ["shop/app", "shop/app/db", "shop/worker"],
    "bank/worker": ["bank/app", "bank/app/db"],
  },
  "service-account": {
    "shop/app": ["shop/app", "shop/app/db"],
    "shop/worker": ["shop/worker"],
    "bank/app": ["bank/app", "bank/app/db"],
    "bank/worker": [],
  },
} as const;

describe("with any account bound to the role, a token reads by the policy's scope", () => {
  for (const [scope, accounts] of Object.entries(scopes)) {
    test(scope, async () => {
      const end = await init({ BOOTSTRAP_POLICY_SCOPE: scope });
      expect(end.exitCode, end.stderr).toBe(0);
      expect(end.stderr.includes("lets every pod of the cluster read")).toBe(scope === "all");
      rootToken ||= (await cluster.keysOf(release))?.["root-token"] ?? "";
      const node = { ...firstNode(release), rootToken };
      for (const secret of secrets) await writeSecret(node, `secret/data/${secret}`, { a: "b" });
      for (const [account, expected] of Object.entries(accounts)) {
        const [namespace = "", name = ""] = account.split("/");
        expect([account, await readable(namespace, name)]).toEqual([account, [...expected]]);
      }
      const again = await init({ BOOTSTRAP_POLICY_SCOPE: scope });
      expect(again.stdout).toContain("nothing changed");
    });
  }
});

test("for a store outside of pods the command names the variables that it needs", async () => {
  const end = await init({
    ...{ BOOTSTRAP_AUTH_PATH: "other", BOOTSTRAP_KUBERNETES_CA_CERT: "" },
    BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE: "",
  });
  expect([end.exitCode, end.stderr]).toEqual([
    125,
    expect.stringContaining("auth/other/config: status 400, open /var/run/secrets/"),
  ]);
  expect(end.stderr).toMatch(/hint: .*BOOTSTRAP_KUBERNETES_CA_CERT and BOOTSTRAP_TOKEN_REVIEWER/);
});
