import { existsSync } from "node:fs";
import { join } from "node:path";
import { TestingError } from "../errors.ts";

/**
 * The API server that tests run against and the store under it: what `scripts/kubernetes/go.mod`
 * names, from which they are built.
 */
export const KUBERNETES_RELEASE = { version: "1.36.3", etcdVersion: "3.6.8" } as const;

/** The servers that make a control plane without controllers, by their paths. */
export interface KubernetesPrograms {
  readonly apiServer: string;
  readonly etcd: string;
}

/** The folder in the cache that holds the programs, whether they are there yet or not. */
export function kubernetesFolder(cache: string): string {
  const { version, etcdVersion } = KUBERNETES_RELEASE;
  return join(cache, `kubernetes-${version}-etcd-${etcdVersion}`);
}

/** Where the programs lie in a folder such as `kubernetesFolder` names. */
export function programsIn(folder: string): KubernetesPrograms {
  return { apiServer: join(folder, "kube-apiserver"), etcd: join(folder, "etcd") };
}

/**
 * The paths of the programs; throws `BINARY_MISSING`, with the command to run, when one is not
 * there.
 */
export function kubernetesPrograms(cache: string): KubernetesPrograms {
  const programs = programsIn(kubernetesFolder(cache));
  const missing = Object.values(programs).find((path) => !existsSync(path));
  if (missing === undefined) return programs;
  throw new TestingError(
    "BINARY_MISSING",
    `find Kubernetes ${KUBERNETES_RELEASE.version}: no file ${missing}`,
    { hint: "run: bun scripts/fetch-kubernetes.ts" },
  );
}
