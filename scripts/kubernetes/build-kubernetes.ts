import {
  KUBERNETES_RELEASE,
  type KubernetesPrograms,
  kubernetesFolder,
  programsIn,
} from "../../packages/testing/src/tools.ts";
import { buildPrograms, type ForeignPrograms } from "../go/build-programs.ts";

const { version } = KUBERNETES_RELEASE;
const [major = "", minor = ""] = version.split(".");
const variable = (name: string) => `k8s.io/component-base/version.${name}`;

/**
 * The values that the linker writes into a program of Kubernetes. Without these it reports v0.0.0,
 * and clients take it for ancient.
 */
export const KUBERNETES_VARIABLES = {
  [variable("gitVersion")]: `v${version}`,
  [variable("gitMajor")]: major,
  [variable("gitMinor")]: minor,
} as const;

const controlPlane: ForeignPrograms = {
  what: "kube-apiserver and etcd",
  module: "scripts/kubernetes",
  packages: {
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    etcd: "go.etcd.io/etcd/server/v3",
  },
  variables: KUBERNETES_VARIABLES,
};

/**
 * Makes sure that kube-apiserver and etcd are in `cache`, compiled from the modules that go.sum
 * names by hash, and gives their paths. From an empty cache that takes about seven minutes of CPU
 * time, which `say` is told lines about. Throws `FETCH_FAILED`.
 */
export async function buildKubernetes(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<KubernetesPrograms> {
  const folder = kubernetesFolder(cache);
  await buildPrograms(controlPlane, folder, env, say);
  return programsIn(folder);
}
