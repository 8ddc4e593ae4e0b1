import { join } from "node:path";
import {
  askKubernetes,
  type Kubernetes,
  reviewerToken,
  startKubernetes,
  temporaryFolder,
} from "@svc/testing";
import type { StoreRelease } from "./store-release.ts";

/** An API server, and its address and token reviewer for a store outside of its pods. */
export interface Cluster extends AsyncDisposable {
  readonly kube: Kubernetes;
  /** The environment of `svc secretstore init`: the least that works with real servers here. */
  environmentFor(release: StoreRelease): Readonly<Record<string, string>>;
  /** The data of a release's output Secret, decoded; undefined if there is no Secret. */
  keysOf(release: StoreRelease): Promise<Readonly<Record<string, string>> | undefined>;
}

export const OUTPUT = "svc-vault-init";

/** The path of a release's output Secret in the API. */
export function outputPath({ namespace }: Pick<StoreRelease, "namespace">): string {
  return `/api/v1/namespaces/${namespace}/secrets/${OUTPUT}`;
}

/** Starts the API server and writes the files that name it. */
export async function startCluster(): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder()).path;
  const kube = stack.use(await startKubernetes());
  const [ca, jwt] = [join(folder, "ca.pem"), join(folder, "reviewer.jwt")];
  await Bun.write(ca, kube.caPem);
  await Bun.write(jwt, `${await reviewerToken(kube)}\n`);
  const started = stack.move();
  return {
    kube,
    environmentFor: ({ environment }) => ({
      ...environment,
      KUBECONFIG: kube.kubeconfig,
      BOOTSTRAP_KUBERNETES_HOST: kube.address,
      BOOTSTRAP_KUBERNETES_CA_CERT: ca,
      BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE: jwt,
      BOOTSTRAP_ROLE_BOUND_SA_NAMESPACES: "shop",
      BOOTSTRAP_ROLE_AUDIENCE: "vault",
      BOOTSTRAP_WAIT: "20s",
    }),
    keysOf: async (release) => {
      const { status, body } = await askKubernetes(kube, {
        method: "GET",
        path: outputPath(release),
      });
      if (status === 404) return undefined;
      return Object.fromEntries(
        Object.entries(body?.["data"] ?? {}).map(([key, text]) => [key, atob(String(text))]),
      );
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
