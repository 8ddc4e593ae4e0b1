import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  answerPart,
  answerText,
  applyObject,
  callBao,
  canary,
  createServiceAccountToken,
  type OpenBao,
  temporaryFolder,
  writeSecret,
} from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { runSvc } from "./run-svc.ts";
import { makeNamespace } from "./store-pods.ts";
import { type ReleaseOptions, type StoreRelease, startRelease } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
const folder = temporaryFolder();
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
  await makeNamespace(cluster.kube, "shop");
  const metadata = { namespace: "shop", name: "app" };
  await applyObject(cluster.kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
}, TIMEOUT_MS);
afterAll(async () => {
  await started.disposeAsync();
  folder[Symbol.dispose]();
});
expectNothingLeft();

const stores: Readonly<Record<string, ReleaseOptions>> = {
  "one node with its storage in memory": { storage: "inmem" },
  "one node with Raft storage over TLS": { storage: "raft", tls: true },
  "three nodes with Raft storage over TLS": { storage: "raft", tls: true, size: 3 },
};

for (const [name, options] of Object.entries(stores)) {
  describe(name, () => {
    const password = canary();
    let release: StoreRelease;
    let keys: Readonly<Record<string, string>> = {};
    let otherToken = "";
    let said = "";
    const svc = (...words: readonly string[]) => svcWith("", ...words);
    const svcWith = async (input: string, ...words: readonly string[]) => {
      const environment = cluster.environmentFor(release);
      const { hosts } = release;
      const end = await runSvc(["secretstore", ...words], { environment, hosts, input });
      said += end.stdout + end.stderr;
      return end;
    };
    const firstNode = (): OpenBao => release.nodes[0] ?? fail();

    beforeAll(async () => {
      release = started.use(await startRelease(cluster.kube, options));
    }, TIMEOUT_MS);

    test("a dry run reports the planned changes, and makes none", async () => {
      const { exitCode, stdout } = await svc("init", "--dry-run");
      expect(stdout).toContain("to create  role svc");
      expect(exitCode).toBe(0);
      expect(await cluster.keysOf(release)).toBeUndefined();
      expect((await svc("status")).exitCode).toBe(2);
    });

    test("one run initialises it, keeps its keys, unseals every pod and sets it up", async () => {
      const { exitCode, stdout, stderr } = await svc("init");
      expect([exitCode, stderr.replaceAll(/svc: warning: .*\n/g, "")]).toEqual([0, ""]);
      const steps = stdout.split("\n").filter((line) => line.startsWith("  "));
      const unsealed = release.nodes.map((_, index) => `  updated    unseal store-${index}`);
      expect(steps).toEqual(expect.arrayContaining(unsealed));
      expect(steps.filter((line) => line.includes("unchanged"))).toEqual([]);
      keys = (await cluster.keysOf(release)) ?? {};
      const shares = [1, 2, 3, 4, 5].map((number) => `unseal-key-${number}`);
      expect(Object.keys(keys).toSorted()).toEqual(["root-token", ...shares]);
    });

    test("each pod takes a login at once", async () => {
      const tokens = release.nodes.map(() => shopToken("vault"));
      const path = "auth/kubernetes/login";
      for (const [index, node] of release.nodes.entries()) {
        const body = { role: "svc", jwt: await tokens[index] };
        const { auth } = Object(await callBao(node, { method: "POST", path, body }));
        expect([index, typeof auth?.client_token]).toEqual([index, "string"]);
      }
    });

    test("a second run changes nothing", async () => {
      const before = await cluster.keysOf(release);
      const { exitCode, stdout } = await svc("init");
      expect(exitCode).toBe(0);
      expect(stdout).toContain("nothing changed");
      expect(stdout).not.toMatch(/created|updated|skipped/);
      expect(await cluster.keysOf(release)).toEqual(before);
      expect((await svc("status", "-o", "json")).exitCode).toBe(0);
    });

    test("a wrapper logs in with its service account's token and reads a secret", async () => {
      const bao = { ...firstNode(), rootToken: keys["root-token"] ?? "" };
      await writeSecret(bao, "secret/data/app", { password });
      const { exitCode, stdout, stderr } = await logIn();
      expect(exitCode, stderr).toBe(0);
      expect(stdout.toString().split("\0")).toContain(`PASSWORD=${password}`);
    });

    test("a token for another audience is refused", async () => {
      const { exitCode, stderr } = await logIn("another-vault");
      expect(exitCode).toBe(125);
      expect(stderr).toContain("invalid audience");
    });

    test("with --revoke-root the root token ends, and leaves the Secret", async () => {
      const bao = { ...firstNode(), rootToken: keys["root-token"] ?? "" };
      // Stands for the one that an administrator makes with the shares, later.
      otherToken = await orphanToken(bao);
      expect((await svc("init", "--revoke-root")).exitCode).toBe(0);
      expect(await cluster.keysOf(release)).not.toHaveProperty("root-token");
      const look = { method: "GET", path: "auth/token/lookup-self" } as const;
      expect(await callBao(bao, look).catch(String)).toContain("403");
      const again = await svc("init", "--revoke-root");
      expect([again.exitCode, again.stdout]).toEqual([
        0,
        expect.stringContaining("nothing changed"),
      ]);
    });

    test("other settings then need a token, and are taken with one", async () => {
      const { exitCode, stderr } = await svc("init", "--role-ttl=2h");
      expect([exitCode, stderr]).toEqual([125, expect.stringContaining("--token-stdin")]);
      const given = await svcWith(`${otherToken}\n`, "init", "--role-ttl=2h", "--token-stdin");
      expect([given.exitCode, given.stdout]).toEqual([
        0,
        expect.stringContaining("  updated    role svc (token_ttl)\n"),
      ]);
      expect((await svc("init", "--role-ttl=2h")).exitCode).toBe(0);
      const wrong = await svcWith("no-token", "init", "--token-stdin");
      expect([wrong.exitCode, wrong.stderr]).toEqual([125, expect.stringContaining("refuses it")]);
    });

    test("nothing that was said shows a share or the root token", () => {
      const forms = [...Object.values(keys), otherToken].flatMap((key) => [
        key,
        Buffer.from(key, "base64").toString("hex"),
        Buffer.from(key).toString("base64"),
      ]);
      expect(forms).toHaveLength(21);
      expect(forms.filter((form) => said.includes(form))).toEqual([]);
    });

    function shopToken(audience: string): Promise<string> {
      const audiences = [audience];
      return createServiceAccountToken(cluster.kube, "shop", "app", { audiences });
    }

    async function logIn(audience = "vault") {
      const jwt = join(folder.path, `${release.namespace}.jwt`);
      await Bun.write(jwt, await shopToken(audience));
      const { address } = firstNode();
      const { VAULT_CACERT } = cluster.environmentFor(release);
      return runWrapper({
        environment: {
          VAULT_ADDR: address,
          VAULT_AUTH_ROLE: "svc",
          SVC_AUTH_JWT_PATH: jwt,
          ...(VAULT_CACERT !== undefined && { VAULT_CACERT }),
          SVC_SECRET_PATHS: "secret/data/app",
          SVC_ENV_MAP: "password=PASSWORD",
          SVC_START_DEADLINE: "2s",
          SVC_DELIVERY: "env",
          HEALTH_ADDR: "127.0.0.1:0",
        },
        program: [fixture("prints-env")],
      });
    }
  });
}

async function orphanToken(bao: OpenBao): Promise<string> {
  const body = { policies: ["root"], no_parent: true };
  const made = await callBao(bao, { method: "POST", path: "auth/token/create-orphan", body });
  return answerText(answerPart(made, "auth"), "client_token");
}

function fail(): never {
  throw new TypeError("the release has no node");
}
