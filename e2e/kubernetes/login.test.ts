import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyObject,
  askKubernetes,
  callBao,
  canary,
  certificateAuthority,
  connectKubernetesAuth,
  createServiceAccountToken,
  type Kubernetes,
  mountKv2,
  type OpenBao,
  startKubernetes,
  startOpenBao,
  temporaryFolder,
  writeKubernetesRole,
  writePolicy,
  writeSecret,
} from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

const TIMEOUT_MS = 240_000;
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
const password = canary();

interface Story {
  readonly kube: Kubernetes;
  readonly bao: OpenBao;
}

let running: Story | undefined;
const started = new AsyncDisposableStack();
const story = (): Story => running ?? fail();
const fail = (): never => {
  throw new TypeError("the servers did not start");
};

beforeAll(async () => {
  const kube = started.use(await startKubernetes());
  running = { kube, bao: started.use(await startVault(kube)) };
}, TIMEOUT_MS);
afterAll(async () => {
  await started.disposeAsync();
  folder[Symbol.dispose]();
});
expectNothingLeft();

/**
 * A vault as in production: TLS, a role for one account of one namespace, one more for an audience.
 */
async function startVault(kube: Kubernetes): Promise<OpenBao> {
  for (const namespace of ["shop", "bank"]) {
    await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await makeAccount(kube, namespace, "app");
  }
  await makeAccount(kube, "shop", "other");
  const authority = await certificateAuthority();
  writeFileSync(at("ca.pem"), authority.certificatePem);
  const tls = { ...(await authority.issue()), caPem: authority.certificatePem };
  const bao = await startOpenBao({ storage: "inmem", tls });
  await mountKv2(bao, "secret");
  await writeSecret(bao, "secret/data/app", { password });
  await writePolicy(bao, "app", [{ path: "secret/data/app", capabilities: ["read"] }]);
  await connectKubernetesAuth(bao, kube);
  const role = {
    bound_service_account_names: ["app"],
    bound_service_account_namespaces: ["shop"],
    token_policies: ["app"],
    token_ttl: "1h",
  };
  await writeKubernetesRole(bao, "app", role);
  await writeKubernetesRole(bao, "vault-only", { ...role, audience: "vault" });
  return bao;
}

async function makeAccount(kube: Kubernetes, namespace: string, name: string): Promise<void> {
  const metadata = { namespace, name };
  await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
}

test("OpenBao asks the API server, and gives the role's policies to the account's token", async () => {
  const { bao, kube } = story();
  const jwt = await createServiceAccountToken(kube, "shop", "app");
  const body = { role: "app", jwt };
  const login = { method: "POST", path: "auth/kubernetes/login", body } as const;
  expect(await callBao({ ...bao, rootToken: "" }, login)).toMatchObject({
    auth: {
      token_policies: ["app", "default"],
      lease_duration: 3600,
      renewable: true,
      metadata: { service_account_name: "app", service_account_namespace: "shop" },
    },
  });
});

/** The wrapper's token, with its account and kind, and the role that the wrapper asks for. */
interface Login {
  readonly namespace?: string;
  readonly account?: string;
  readonly audiences?: readonly string[];
  readonly role?: string;
  /** How long the wrapper tries; by default the wrapper's own time. */
  readonly deadline?: string;
}

/** A refused login is tried again, because a role may be about to be made. */
const SOON = { deadline: "1s" } as const;

/**
 * Runs a program under the wrapper, which finds a token in the place in which a pod would have it.
 */
async function deliver(login: Login, before?: () => Promise<void>) {
  const { bao, kube } = story();
  const { namespace = "shop", account = "app", audiences, role = "app", deadline } = login;
  const wanted = audiences === undefined ? {} : { audiences };
  const jwt = await createServiceAccountToken(kube, namespace, account, wanted);
  const path = at(crypto.randomUUID());
  writeFileSync(path, jwt, { mode: 0o600 });
  await before?.();
  const { VAULT_TOKEN: _, ...settings } = wrapperEnvironment(bao.address, "");
  const ended = await runWrapper({
    program: [fixture("prints-env")],
    environment: {
      ...settings,
      VAULT_CACERT: at("ca.pem"),
      VAULT_AUTH_METHOD: "kubernetes",
      VAULT_AUTH_ROLE: role,
      SVC_AUTH_JWT_PATH: path,
      ...(deadline !== undefined && { SVC_START_DEADLINE: deadline }),
      SVC_DELIVERY: "env",
    },
  });
  return { ...ended, jwt };
}

describe("the wrapper logs in with a service account's token and delivers", () => {
  const logins: Readonly<Record<string, Login>> = {
    "for the API server's audience": {},
    "for the role's audience": { audiences: ["vault"], role: "vault-only" },
    // OpenBao compares the token's audiences with the role's. Only a role with an audience refuses
    // a token that was made for another server.
    "for any audience, if the role names none": { audiences: ["bank"] },
    "for the operator's audience, if the role names none": { audiences: ["vault"] },
  };
  for (const [what, login] of Object.entries(logins)) {
    test.concurrent(what, async () => {
      const { exitCode, stdout, stderr, jwt } = await deliver(login);
      expect(exitCode, stderr).toBe(0);
      expect(stdout.toString().split("\0")).toContain(`DB_PASSWORD=${password}`);
      expect(stderr).not.toContain(password);
      expect(stderr).not.toContain(jwt.slice(-40));
    });
  }
});

test("the API server refuses a token for the vault", async () => {
  const { kube } = story();
  const token = await createServiceAccountToken(kube, "shop", "app", { audiences: ["vault"] });
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const ask = {
    method: "POST",
    path,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  } as const;
  expect((await askKubernetes({ ...kube, token }, ask)).status).toBe(401);
  const own = await createServiceAccountToken(kube, "shop", "app");
  expect((await askKubernetes({ ...kube, token: own }, ask)).status).toBe(201);
});

describe("the wrapper starts no program", () => {
  const refused: Readonly<Record<string, Login>> = {
    "for an account that the role does not name": { account: "other" },
    "for an account of that name in another namespace": { namespace: "bank" },
    "for a token for the API server if the role's audience is another": { role: "vault-only" },
    "for a token for yet another audience": { audiences: ["bank"], role: "vault-only" },
    "for a role that does not exist": { role: "nobody" },
  };
  for (const [what, login] of Object.entries(refused)) {
    test.concurrent(what, async () => expectRefused(await deliver({ ...login, ...SOON })));
  }

  test("for an account that was deleted after its token was made", async () => {
    const { kube } = story();
    await makeAccount(kube, "shop", "leaving");
    const role = { bound_service_account_names: ["leaving"], token_policies: ["app"] };
    const everywhere = { ...role, bound_service_account_namespaces: ["*"] };
    await writeKubernetesRole(story().bao, "leaving", everywhere);
    const login = { account: "leaving", role: "leaving" };
    expect((await deliver(login)).exitCode).toBe(0);
    const remove = async () => {
      const path = "/api/v1/namespaces/shop/serviceaccounts/leaving";
      expect((await askKubernetes(kube, { method: "DELETE", path })).status).toBe(200);
    };
    expectRefused(await deliver({ ...login, ...SOON }, remove));
  });
});

function expectRefused({ exitCode, stdout, stderr, jwt }: Awaited<ReturnType<typeof deliver>>) {
  expect([exitCode, stdout.toString()]).toEqual([125, ""]);
  expect(stderr).toContain("VAULT_FAILED");
  expect(stderr).toContain('"hint":"');
  expect(stderr).not.toContain(jwt.slice(-40));
}
