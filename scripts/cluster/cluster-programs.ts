import { existsSync } from "node:fs";
import { join } from "node:path";
import { KUBERNETES_RELEASE, TestingError } from "../../packages/testing/src/tools.ts";
import type { ForeignPrograms } from "../go/build-programs.ts";
import { moduleFolder } from "../go/module-folder.ts";
import { KUBERNETES_VARIABLES } from "../kubernetes/build-kubernetes.ts";

/** The releases that the modules beside this file name; a unit test compares them. */
export const CLUSTER_RELEASES = {
  kubernetes: KUBERNETES_RELEASE.version,
  containerd: "2.4.2",
  network: "1.9.1",
  coredns: "1.15.0",
} as const;

/** One module's share of the cluster. */
export type ClusterPart = keyof typeof CLUSTER_RELEASES;

/**
 * The programs of each part: those that a cluster with pods needs beside kube-apiserver and etcd.
 */
export const CLUSTER_PROGRAMS = {
  kubernetes: {
    what: "the rest of Kubernetes",
    module: "scripts/kubernetes",
    packages: {
      "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
      "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
      "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy",
      kubelet: "k8s.io/kubernetes/cmd/kubelet",
      kubectl: "k8s.io/kubernetes/cmd/kubectl",
    },
    variables: KUBERNETES_VARIABLES,
  },
  containerd: {
    what: "containerd",
    module: "scripts/cluster/containerd",
    packages: {
      containerd: "github.com/containerd/containerd/v2/cmd/containerd",
      "containerd-shim-runc-v2": "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
      ctr: "github.com/containerd/containerd/v2/cmd/ctr",
    },
    variables: {},
  },
  network: {
    what: "the plugins of the pods' network",
    module: "scripts/cluster/network",
    packages: {
      bridge: "github.com/containernetworking/plugins/plugins/main/bridge",
      loopback: "github.com/containernetworking/plugins/plugins/main/loopback",
      "host-local": "github.com/containernetworking/plugins/plugins/ipam/host-local",
    },
    variables: {},
  },
  coredns: {
    what: "CoreDNS",
    module: "scripts/cluster/coredns",
    packages: { coredns: "github.com/coredns/coredns" },
    variables: {},
  },
} as const satisfies Readonly<Record<ClusterPart, ForeignPrograms>>;

/**
 * The folder in the cache for a part: its name says the release, and the modules by their hashes.
 */
export function clusterFolder(cache: string, part: ClusterPart): string {
  const name = `cluster-${part}-${CLUSTER_RELEASES[part]}`;
  return moduleFolder(cache, CLUSTER_PROGRAMS[part].module, name);
}

/**
 * The folders of the programs. Throws `BINARY_MISSING`, with the command to run, when a program was
 * not built.
 */
export function clusterFolders(cache: string): Readonly<Record<ClusterPart, string>> {
  const folderOf = (part: ClusterPart) => {
    const folder = clusterFolder(cache, part);
    for (const name of Object.keys(CLUSTER_PROGRAMS[part].packages)) {
      refuseMissing(join(folder, name));
    }
    return folder;
  };
  return {
    kubernetes: folderOf("kubernetes"),
    containerd: folderOf("containerd"),
    network: folderOf("network"),
    coredns: folderOf("coredns"),
  };
}

function refuseMissing(path: string): void {
  if (existsSync(path)) return;
  throw new TestingError("BINARY_MISSING", `find a program of the cluster: no file ${path}`, {
    hint: "run: bun scripts/fetch-cluster.ts",
  });
}
