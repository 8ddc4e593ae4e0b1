import { type ClusterAccess, KubernetesError, loadClient } from "@svc/kubernetes";
import { BootstrapError } from "../bootstrap-error.ts";
import type { SecretClient } from "../secret/secret-object.ts";
import { choosePods, describeNoPods, type Release, type StorePod } from "./choose-pods.ts";
import { kubernetesSecret, type SecretPlace } from "./kubernetes-secret.ts";
import { type AnswerLimits, requestSender } from "./send-request.ts";
import {
  type DiskClaim,
  deleteClaim,
  deletePod,
  readClaim,
  type SeenObject,
} from "./store-disk.ts";
import { listPods } from "./store-pods.ts";

/** The bootstrap's requests to a cluster. Nothing is sent before the first operation. */
export interface KubernetesCluster {
  /** The API server's URL. */
  readonly address: string;
  secret(place: SecretPlace): SecretClient;
  /** The store's pods by number; see `podAddress`. */
  storePods(release: Release): Promise<readonly StorePod[]>;
  /** A persistent volume claim; undefined if there is none. */
  claim(place: SecretPlace): Promise<DiskClaim | undefined>;
  deleteClaim(seen: SeenObject): Promise<void>;
  deletePod(seen: SeenObject): Promise<void>;
  /** Why `storePods` finds none. */
  describeNoPods(release: Release): Promise<string>;
}

/**
 * Makes the client of a cluster. It is imported here and not above: that costs some 20 ms, which
 * only the commands that need it should pay.
 *
 * @throws BootstrapError `KUBECONFIG_UNUSABLE`
 */
export async function connectKubernetes(
  access: ClusterAccess,
  limits?: AnswerLimits,
): Promise<KubernetesCluster> {
  const client = await import("@kubernetes/client-node");
  const kubeConfig = await loadClient(access).catch(asBootstrapError);
  const address = kubeConfig.getCurrentCluster()?.server ?? "";
  const sender = requestSender(
    kubeConfig,
    (...words) => new client.ResponseContext(...words),
    limits,
  );
  const configuration = client.createConfiguration({
    baseServer: new client.ServerConfiguration(address, {}),
    // The sender logs in.
    authMethods: {},
    httpApi: client.wrapHttpLibrary(sender),
  });
  const api = new client.CoreV1Api(configuration);
  return {
    address,
    secret: (place) => kubernetesSecret(api, place),
    storePods: async (release) => choosePods(await listPods(api, release.namespace), release),
    claim: (place) => readClaim(api, place),
    deleteClaim: (seen) => deleteClaim(api, seen),
    deletePod: (seen) => deletePod(api, seen),
    describeNoPods: async (release) =>
      describeNoPods(await listPods(api, release.namespace), release),
  };
}

function asBootstrapError(error: unknown): never {
  if (error instanceof KubernetesError) throw new BootstrapError(error.code, error.message);
  throw error;
}
