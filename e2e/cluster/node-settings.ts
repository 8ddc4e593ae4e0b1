/** Addresses and names in the cluster's private network. */
export const NODE = {
  name: "node",
  /** The bridge of the pods has it, and every server of the node listens there. */
  address: "10.88.0.1",
  bridge: "pods",
  pods: "10.88.0.0/16",
  services: "10.96.0.0/24",
  /** The first address of the services, by which pods call the API server. */
  apiService: "10.96.0.1",
  apiPort: 6443,
  registry: "registry.cluster.test:5000",
} as const;

/** Where the node's own programs and files are. */
export interface NodePaths {
  /** The folder of the cluster's keys and settings. */
  readonly settings: string;
  /** The folder of the network plugins. */
  readonly plugins: string;
  /** The cgroup below which the kubelet makes those of pods: `/svc-cluster-7`. */
  readonly cgroup: string;
}

/** The image that holds a pod's namespaces. */
export const PAUSE_IMAGE = `${NODE.registry}/pause:1`;

/**
 * The network plugin's list: a bridge, addresses of this node, and routes between pods and node.
 */
export function networkList(): string {
  const addresses = {
    type: "host-local",
    ranges: [[{ subnet: NODE.pods }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  const bridge = {
    type: "bridge",
    bridge: NODE.bridge,
    isGateway: true,
    ipMasq: false,
    hairpinMode: true,
    ipam: addresses,
  };
  return JSON.stringify({ cniVersion: "1.0.0", name: "pods", plugins: [bridge] });
}

/** The settings of containerd. */
export function containerdSettings({ settings, plugins }: NodePaths): string {
  return `version = 3
disabled_plugins = ["io.containerd.nri.v1.nri", "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = "${PAUSE_IMAGE}"
[plugins.'io.containerd.cri.v1.images'.registry]
  config_path = "${settings}/registries"
[plugins.'io.containerd.cri.v1.runtime']
  # The root of some machines lacks CAP_SYS_RESOURCE.
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["${plugins}"]
    conf_dir = "${settings}/network"
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = "/usr/sbin/runc"
      SystemdCgroup = false
`;
}

/** How containerd reaches the registry, whose certificate is of the cluster's own authority. */
export function registryHost({ settings }: NodePaths): string {
  const origin = `https://${NODE.registry}`;
  return `server = "${origin}"
[host."${origin}"]
  ca = "${settings}/ca.crt"
`;
}

/** The settings of the kubelet. */
export function kubeletSettings({ settings, cgroup }: NodePaths): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    // The older hierarchies are still mounted on some machines that this runs on.
    failCgroupV1: false,
    cgroupDriver: "cgroupfs",
    cgroupRoot: cgroup,
    failSwapOn: false,
    oomScoreAdj: 0,
    containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${settings}/ca.crt` },
    },
    authorization: { mode: "Webhook" },
    tlsCertFile: `${settings}/kubelet.crt`,
    tlsPrivateKeyFile: `${settings}/kubelet.key`,
    clusterDNS: [NODE.address],
    clusterDomain: "cluster.local",
    resolvConf: "/etc/resolv.conf",
    podLogsDir: "/var/lib/pod-logs",
    volumePluginDir: "/var/lib/volume-plugins",
    imageGCHighThresholdPercent: 100,
    imagePullCredentialsVerificationPolicy: "NeverVerify",
    evictionHard: { "memory.available": "100Mi" },
    localStorageCapacityIsolation: false,
    serializeImagePulls: false,
    maxPods: 200,
    syncFrequency: "10s",
  };
}

/** Settings of kube-proxy. They keep it from changing the whole machine's connection tracking. */
export function proxySettings(kubeconfig: string): object {
  return {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    clusterCIDR: NODE.pods,
    hostnameOverride: NODE.name,
    clientConnection: { kubeconfig },
    conntrack: {
      maxPerCore: 0,
      min: 0,
      tcpEstablishedTimeout: "0s",
      tcpCloseWaitTimeout: "0s",
    },
  };
}

/**
 * The settings of CoreDNS, which knows the cluster's services and the registry, and forwards no
 * question.
 */
export function nameServerSettings(kubeconfig: string): string {
  const [registry = ""] = NODE.registry.split(":");
  return `.:53 {
  bind ${NODE.address}
  errors
  hosts {
    ${NODE.address} ${registry}
    fallthrough
  }
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${kubeconfig}
    pods insecure
    ttl 1
  }
}
`;
}
