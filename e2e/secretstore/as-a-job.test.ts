import { afterAll, beforeAll, expect, test } from "bun:test";
import { openSync } from "node:fs";
import { join } from "node:path";
import {
  applyObject,
  createServiceAccountToken,
  type KubernetesObject,
  temporaryFolder,
} from "@svc/testing";
import { parseManifest } from "../harness/kubernetes/helm.ts";
import { environmentOf } from "../harness/kubernetes/job-parts.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { svcPath } from "./run-svc.ts";
import { type StoreRelease, startRelease } from "./store-release.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
const folder = temporaryFolder();
let cluster: Cluster;
let release: StoreRelease;
let objects: readonly KubernetesObject[] = [];

beforeAll(async () => {
  cluster = started.use(await startCluster());
  release = started.use(await startRelease(cluster.kube, { storage: "raft", tls: true }));
  const path = join(import.meta.dirname, "../../deploy/kubernetes/secretstore-init.yaml");
  const text = await Bun.file(path).text();
  // The guide's step: the store's own namespace.
  const here = text.replaceAll("namespace: vault\n", `namespace: ${release.namespace}\n`);
  objects = parseManifest(here);
}, TIMEOUT_MS);
afterAll(async () => {
  await started.disposeAsync();
  folder[Symbol.dispose]();
});

/**
 * The work of a kubelet and a runtime: the account's files, names, the user, no rights, a read-only
 * root.
 */
const asPod = `
mount --bind "$1" /etc/hosts
mount -t tmpfs tmpfs /run
mkdir -p /run/secrets/kubernetes.io
cp -r "$2/account" /run/secrets/kubernetes.io/serviceaccount
cp -r "$2/files" /run/svc
chmod -R a+rX /run/secrets /run/svc
mount -o remount,ro /run
shift 2
exec "$@"`;

/** Files that a pod has as volumes. */
const fileVariables = [
  "VAULT_CACERT",
  "BOOTSTRAP_KUBERNETES_CA_CERT",
  "BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE",
];

/** Runs the Job's command with its account, as user 65532 if this user may choose one. */
async function runJob(token: string) {
  const job = objects.find(({ kind }) => kind === "Job");
  if (job === undefined) throw new TypeError("the manifest has no Job");
  const at = (name: string) => join(folder.path, name);
  await Bun.write(at("account/token"), token);
  await Bun.write(at("account/ca.crt"), cluster.kube.caPem);
  const { KUBECONFIG: _, ...settings } = cluster.environmentFor(release);
  const mounted: Record<string, string> = {};
  for (const name of fileVariables) {
    await Bun.write(at(`files/${name}`), Bun.file(settings[name] ?? ""));
    mounted[name] = `/run/svc/${name}`;
  }
  const { hostname, port } = new URL(cluster.kube.address);
  const isRoot = process.getuid?.() === 0;
  const drop = ["setpriv", "--reuid=65532", "--regid=65532", "--clear-groups", "--no-new-privs"];
  const words = [...(isRoot ? drop : []), "/proc/self/fd/3", "secretstore", "init"];
  const unshare = ["unshare", ...(isRoot ? [] : ["--map-root-user"]), "--mount"];
  const child = Bun.spawn(
    [...unshare, "sh", "-ec", asPod, "sh", release.hosts, folder.path, ...words],
    {
      env: {
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        ...environmentOf(job),
        ...settings,
        ...mounted,
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port,
      },
      // The checkout may be in a folder that this user may not enter.
      stdio: ["ignore", "pipe", "pipe", openSync(svcPath, "r")],
      timeout: TIMEOUT_MS,
    },
  );
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, stdout, stderr };
}

test(
  "the Job of the manifest initialises a store with its own account, and again changes nothing",
  async () => {
    for (const object of objects) {
      if (object.kind !== "Job") await applyObject(cluster.kube, object);
    }
    const { namespace } = release;
    const token = await createServiceAccountToken(cluster.kube, namespace, "svc-secretstore-init");
    const first = await runJob(token);
    expect(first).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("  created    role"),
    });
    const keys = await cluster.keysOf(release);
    expect(Object.keys(keys ?? {})).toHaveLength(6);
    const secret = objects.find(({ kind }) => kind === "Secret");
    if (secret === undefined) throw new TypeError("the manifest has no Secret");
    await applyObject(cluster.kube, secret);
    expect(await cluster.keysOf(release)).toEqual(keys);
    const second = await runJob(token);
    expect(second).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("nothing changed"),
    });
  },
  TIMEOUT_MS,
);
