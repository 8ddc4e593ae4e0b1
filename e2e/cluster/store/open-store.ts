import { chownSync, mkdirSync } from "node:fs";
import { type BaoTarget, cacheFolder, certificateAuthority, fetchOpenBao } from "@svc/testing";
import { chart, runHelm } from "../../harness/kubernetes/helm.ts";
import { pushImage } from "../images/push-image.ts";
import { pushProductImages } from "../images/push-product.ts";
import { once } from "../once.ts";
import type { StoryCluster } from "../story-cluster.ts";
import { diskOf, STORE, storeNames, storeObjects } from "./store-objects.ts";

/** The store of the stories, open and set up; `rootToken` is its administrator's. */
export interface OpenStore extends Required<BaoTarget> {}

/** The Secret in which `svc secretstore init` keeps the keys. */
export const KEYS = "svc-vault-init";

/**
 * Deploys OpenBao with three pods, and has the chart's Job initialise, unseal and set it up, once
 * for each cluster.
 */
export async function openStore(cluster: StoryCluster): Promise<OpenStore> {
  return once(cluster.state, "store", async () => {
    const authority = await certificateAuthority("svc test store CA");
    const certificate = await authority.issue({ names: storeNames() });
    const image = await pushStoreImage(cluster);
    const caPem = authority.certificatePem;
    for (const pod of STORE.pods) {
      mkdirSync(diskOf(pod), { recursive: true });
      chownSync(diskOf(pod), STORE.user, STORE.user);
    }
    await cluster.apply(...storeObjects({ image, certificate, caPem }));
    await installSecretstore(cluster);
    return { address: serviceAddress, rootToken: await rootToken(cluster), caPem };
  });
}

/** The test asks by the whole name: it has no search list as pods have. */
const serviceAddress = `https://${STORE.release}.${STORE.namespace}.svc.cluster.local:8200`;

async function pushStoreImage({ state }: StoryCluster): Promise<string> {
  const program = await fetchOpenBao(cacheFolder(process.env), process.env);
  return pushImage(state, { name: "openbao:2.7.2", files: { "/bin/bao": program } });
}

async function installSecretstore(cluster: StoryCluster): Promise<void> {
  await pushProductImages(cluster.state);
  const words = ["install", "svc-secretstore", chart, "--namespace", STORE.namespace];
  const ended = await runHelm([...words, "--timeout=10m"], {
    kubeconfig: cluster.state.kubeconfig,
    values: {
      registry: cluster.state.registry,
      settings: {
        storeAddr: STORE.address,
        releaseName: STORE.release,
        roleAudience: "vault",
        hintsRole: "svc-version-hints",
        roleTtl: "1h",
      },
      ca: { configMap: STORE.authority },
      // The shortest that cron can write.
      unseal: { enabled: true, schedule: "* * * * *" },
    },
  });
  if (ended.exitCode === 0) return;
  const job = ["-n", STORE.namespace, "-l", "app.kubernetes.io/name=svc-secretstore"];
  const pods = await cluster.tryKubectl("describe", "pods", ...job);
  const said = await cluster.tryKubectl("logs", ...job, "--tail=40");
  throw new TypeError(`${ended.stderr}\n${pods.stdout}\n${said.stdout}`);
}

async function rootToken(cluster: StoryCluster): Promise<string> {
  const path = 'go-template={{index .data "root-token"}}';
  const encoded = await cluster.kubectl("get", "secret", KEYS, "-n", STORE.namespace, "-o", path);
  // A Secret's text is encoded once by Kubernetes, and once by the command that wrote it.
  return Buffer.from(encoded, "base64").toString();
}
