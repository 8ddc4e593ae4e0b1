import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  answerPart,
  askKubernetes,
  callBao,
  callKubernetes,
  type OpenBao,
  temporaryFolder,
} from "@svc/testing";
import { makeAccount } from "../harness/kubernetes/key-keeper.ts";
import { type Cluster, OUTPUT, outputPath, startCluster } from "./cluster.ts";
import { runSvc, startSvc } from "./run-svc.ts";
import { writePod } from "./store-pods.ts";
import { type ReleaseOptions, type StoreRelease, startRelease } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
const folder = temporaryFolder();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(async () => {
  await started.disposeAsync();
  folder[Symbol.dispose]();
});

async function freshRelease(options: ReleaseOptions = { storage: "inmem" }): Promise<StoreRelease> {
  return started.use(await startRelease(cluster.kube, options));
}

type Environment = Readonly<Record<string, string>>;

/** Runs `svc secretstore` against a release, with JSON output. */
async function svc(release: StoreRelease, words: readonly string[], more: Environment = {}) {
  const environment = { ...cluster.environmentFor(release), ...more };
  const all = ["secretstore", ...words, "-o", "json"];
  const { exitCode, stdout, stderr } = await runSvc(all, { environment, hosts: release.hosts });
  const lines = stdout
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));
  return { exitCode, stderr, lines, last: lines.at(-1) };
}

const init = (release: StoreRelease, more: Environment = {}) => svc(release, ["init"], more);

function nodeOf(release: StoreRelease): OpenBao {
  const [node] = release.nodes;
  if (node === undefined) throw new TypeError("the release has no node");
  return node;
}

async function adminOf(release: StoreRelease): Promise<OpenBao> {
  const keys = (await cluster.keysOf(release)) ?? {};
  return { ...nodeOf(release), rootToken: keys["root-token"] ?? "" };
}

/** The Secret of one release as another one's. */
async function giveSecret(from: StoreRelease, to: StoreRelease): Promise<void> {
  const { body } = await askKubernetes(cluster.kube, { method: "GET", path: outputPath(from) });
  const { labels, annotations } = answerPart(body, "metadata") ?? {};
  const metadata = { name: OUTPUT, labels, annotations };
  const secret = { kind: "Secret", type: body?.["type"], data: body?.["data"], metadata };
  const path = outputPath(to).replace(/\/[^/]+$/, "");
  await callKubernetes(cluster.kube, { method: "POST", path, body: secret });
}

const stopped = (code: string) => ({ type: "error", code });

describe("a run stops with its finding, and changes nothing, if", () => {
  test("the store is initialised and there is no Secret", async () => {
    const release = await freshRelease();
    const body = { secret_shares: 1, secret_threshold: 1 };
    await callBao(nodeOf(release), { method: "PUT", path: "sys/init", body });
    const { exitCode, last } = await init(release);
    expect([exitCode, last]).toMatchObject([125, stopped("OUTPUT_MISSING")]);
    expect(await cluster.keysOf(release)).toBeUndefined();
  });

  test("the Secret has the keys of another store", async () => {
    const [one, other] = await Promise.all([freshRelease(), freshRelease()]);
    await init(one);
    await giveSecret(one, other);
    expect((await init(other)).last).toMatchObject(stopped("STORE_EMPTY"));
    const body = { secret_shares: 5, secret_threshold: 3 };
    const keys = await callBao(nodeOf(other), { method: "PUT", path: "sys/init", body });
    expect((await init(other)).last).toMatchObject(stopped("SHARE_REFUSED"));
    for (const key of Array.isArray(keys?.["keys"]) ? keys["keys"].slice(0, 3) : []) {
      await callBao(nodeOf(other), { method: "PUT", path: "sys/unseal", body: { key } });
    }
    expect((await init(other)).last).toMatchObject(stopped("OUTPUT_OF_ANOTHER_STORE"));
    const { exitCode, last } = await svc(other, ["status"]);
    expect(exitCode).toBe(3);
    expect(last).toMatchObject({ keysProblem: expect.stringContaining("its keys are of cluster") });
    expect(await cluster.keysOf(other)).toEqual(await cluster.keysOf(one));
  });

  test("another client's Secret has the name", async () => {
    const release = await freshRelease();
    const path = outputPath(release).replace(/\/[^/]+$/, "");
    const secret = { metadata: { name: OUTPUT }, data: { password: btoa("theirs") } };
    await callKubernetes(cluster.kube, { method: "POST", path, body: secret });
    expect((await init(release)).last).toMatchObject(stopped("OUTPUT_FOREIGN"));
    expect((await svc(release, ["status"])).exitCode).toBe(3);
    expect(await cluster.keysOf(release)).toEqual({ password: "theirs" });
  });

  test("the account may not write the Secret", async () => {
    const release = await freshRelease();
    const { namespace } = release;
    const pods = { apiGroups: [""], resources: ["pods"], verbs: ["list"] };
    const read = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
    const token = await makeAccount(cluster.kube, "reader", [pods, read], namespace);
    const KUBECONFIG = await kubeconfigFor(token);
    const { last } = await init(release, { KUBECONFIG });
    expect(last).toMatchObject(stopped("KUBERNETES_DENIED"));
    const dry = await svc(release, ["init", "--dry-run"], { KUBECONFIG });
    expect(dry.last).toMatchObject(stopped("KUBERNETES_DENIED"));
    const status = await callBao(nodeOf(release), { method: "GET", path: "sys/seal-status" });
    expect(status).toMatchObject({ initialized: false });
  });

  test("something else is mounted in the place of the KV engine", async () => {
    const release = await freshRelease();
    await init(release);
    const body = { type: "kv", options: { version: "1" } };
    const admin = await adminOf(release);
    await callBao(admin, { method: "POST", path: "sys/mounts/old", body });
    const { last } = await init(release, { BOOTSTRAP_KV_PATH: "old" });
    expect(last).toMatchObject(stopped("MOUNT_IN_THE_WAY"));
  });

  test("a pod of three is silent while no store is initialised", async () => {
    const release = await freshRelease();
    await writePod(cluster.kube, release, { index: 1, phase: "Pending" });
    // On a busy machine one look at the pods takes more than a second, and "waiting" comes before
    // the second look.
    const { last, lines } = await init(release, { BOOTSTRAP_WAIT: "8s" });
    expect(last).toMatchObject({
      ...stopped("PODS_NOT_READY"),
      message: expect.stringMatching(/^ask the store's pods in namespace .*: store-1 is Pending$/),
    });
    expect(lines).toContainEqual({ type: "waiting", for: "store-1 is Pending" });
    expect(await cluster.keysOf(release)).toBeUndefined();
  });

  test("no pod has the release's name, or a pod has no DNS name", async () => {
    const release = await freshRelease();
    const more = { BOOTSTRAP_WAIT: "0s" };
    const other = await init(release, { ...more, STORE_RELEASE_NAME: "stroe" });
    expect(other.last).toMatchObject({
      ...stopped("PODS_NOT_READY"),
      message: expect.stringMatching(
        /: no pod of a StatefulSet has app.kubernetes.io\/instance=stroe or is called stroe-<n>; there are store-0/,
      ),
    });
    await writePod(cluster.kube, { ...release, releaseName: "lost" }, { index: 0 });
    const lost = await init(release, { ...more, STORE_RELEASE_NAME: "lost" });
    expect(lost.last).toMatchObject({
      ...stopped("PODS_NOT_READY"),
      message: expect.stringContaining("lost-0 does not answer: "),
    });
  });

  test("the store's certificate is not trusted, at once", async () => {
    const release = await freshRelease({ storage: "inmem", tls: true });
    const other = join(folder.path, "other.pem");
    await Bun.write(other, cluster.kube.caPem);
    const { last } = await init(release, { VAULT_CACERT: other });
    expect(last).toMatchObject(stopped("TLS"));
  });

  test("files cannot be used, all of them at once", async () => {
    const release = await freshRelease();
    const { last } = await init(release, {
      VAULT_CACERT: "/nowhere/ca.pem",
      BOOTSTRAP_KUBERNETES_CA_CERT: "/nowhere/kube.pem",
      BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE: "/nowhere/jwt",
    });
    expect(last).toMatchObject(stopped("FILES_UNUSABLE"));
    for (const name of ["VAULT_CACERT", "KUBERNETES_CA_CERT", "REVIEWER_JWT_FILE"]) {
      expect(String(last?.["message"])).toContain(name);
    }
  });
});

describe("a run goes on if", () => {
  test("the store cuts the TTL of tokens: it warns", async () => {
    const release = await freshRelease();
    await init(release);
    const path = "sys/auth/kubernetes/tune";
    const admin = await adminOf(release);
    await callBao(admin, { method: "POST", path, body: { max_lease_ttl: "2h" } });
    const { exitCode, lines } = await init(release, { BOOTSTRAP_ROLE_TTL: "168h" });
    expect(exitCode).toBe(0);
    const message = expect.stringContaining("tokens end after 7200 s, not 604800 s");
    expect(lines).toContainEqual({ type: "warning", message });
  });

  test("a pod comes up while it waits", async () => {
    const release = await freshRelease();
    await writePod(cluster.kube, release, { index: 0, phase: "Pending" });
    const environment = cluster.environmentFor(release);
    const words = ["secretstore", "init"];
    const child = startSvc(words, { environment, hosts: release.hosts });
    let said = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (said === "") await writePod(cluster.kube, release, { index: 0 });
      said += chunk;
    }
    expect(said).toStartWith("  waiting    store-0 is Pending\n  created    initialise");
    expect(await child.exited).toBe(0);
  });

  test("a pod does not come up in time: the rest is done, and it is named", async () => {
    const release = await freshRelease();
    await init(release);
    await writePod(cluster.kube, release, { index: 1, phase: "Pending" });
    const { exitCode, lines, last } = await init(release, { BOOTSTRAP_WAIT: "1s" });
    expect([exitCode, last]).toMatchObject([
      125,
      { ...stopped("PODS_LEFT"), message: "unseal the store's pods: store-1 is Pending" },
    ]);
    expect(lines).toContainEqual(expect.objectContaining({ step: "role", outcome: "unchanged" }));
  });

  test("a client has changed the set-up: it is restored", async () => {
    const release = await freshRelease();
    await init(release);
    const admin = await adminOf(release);
    const policy = 'path "secret/*" { capabilities = ["sudo"] }';
    const path = "sys/policies/acl/svc";
    await callBao(admin, { method: "POST", path, body: { policy } });
    await callBao(admin, { method: "PUT", path: "sys/seal" });
    const { lines, last } = await init(release);
    expect(last).toMatchObject({ type: "result", changes: 2 });
    expect(lines).toContainEqual(
      expect.objectContaining({ step: "unseal", target: "store-0", outcome: "updated" }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ step: "policy", outcome: "updated", differs: ["policy"] }),
    );
  });

  test("an account has the rights of the documentation and no others", async () => {
    const release = await freshRelease();
    const { namespace } = release;
    const token = await makeAccount(cluster.kube, "svc-init", undefined, namespace);
    const { last } = await init(release, { KUBECONFIG: await kubeconfigFor(token) });
    expect(last).toMatchObject({ type: "result", shares: 5, threshold: 3, rootToken: true });
  });
});

async function kubeconfigFor(token: string): Promise<string> {
  const path = join(folder.path, `${crypto.randomUUID()}.yaml`);
  const text = await Bun.file(cluster.kube.kubeconfig).text();
  await Bun.write(path, text.replaceAll(cluster.kube.token, token));
  return path;
}
