/** Every way in which the kernel agent fails. */
export const agentErrorCatalogue = {
  SPOOL_UNUSABLE: {
    meaning: "the spool folder, in which events wait for the platform, cannot be used",
    hint: "it has to be a separate folder that the agent may write to, on a disk with free space",
  },
  SPOOL_TAKEN: {
    meaning: "another agent uses the spool folder, in which events wait for the platform",
    hint: "one agent a node: end the other one first",
  },
  ARCHITECTURE_UNSUPPORTED: {
    meaning: "there are no BPF programs for a machine of this architecture",
    hint: "the agent runs on x86-64 and arm64",
  },
  OBJECT_UNUSABLE: {
    meaning: "the file with the BPF programs is unreadable, malformed or of another architecture",
    hint: "EBPF_OBJECT_PATH has to be the object that came with this agent",
  },
  AGENT_RUNNING: {
    meaning: "another agent runs on this machine, or its pins are guarded",
    hint: "one agent a machine: end the other one first, by SIGTERM. svc-agent break-glass opens the pins of an agent that is gone",
  },
  PINS_UNUSABLE: {
    meaning: "the pins of the agent's programs cannot be used or written",
    hint: "/sys/fs/bpf has to be a BPF file system that the agent may write to. svc-agent break-glass --remove removes the pins of another release",
  },
  PLATFORM_HEADERS_UNUSABLE: {
    meaning: "the file with headers for the platform cannot be read, or is malformed",
    hint: "PLATFORM_HEADERS_FILE has one `Name: value` a line",
  },
  PLATFORM_TLS_UNUSABLE: {
    meaning: "a certificate, key or CA file for the platform cannot be used",
    hint: "PLATFORM_TLS_CA, PLATFORM_TLS_CERT and PLATFORM_TLS_KEY are PEM files that the agent can read",
  },
  HEALTH_UNUSABLE: {
    meaning: "the agent cannot listen at the address of /healthz and /metrics",
    hint: "HEALTH_LISTEN_ADDR has to be an address of this machine with a free port",
  },
  EVENT_UNREADABLE: {
    meaning: "the programs that run in the kernel do not belong to this agent",
    hint: "EBPF_OBJECT_PATH has to be the object that came with this agent",
  },
  POLICY_RESOURCES_UNUSABLE: {
    meaning: "the agent has no credentials for the API server, which it would ask for SvcPolicies",
    hint: "POLICY_RESOURCES needs the token of the pod's service account: set automountServiceAccountToken of the agent's pod to true",
  },
  CSI_UNUSABLE: {
    meaning: "the agent cannot serve the kubelet as a CSI driver",
    hint: "CSI_KUBELET_FOLDER has to be the kubelet's --root-dir, mounted writable if the agent is a pod",
  },
  REGISTRY_UNUSABLE: {
    meaning:
      "the registry file, which tells the next agent the owner of each process, cannot be used",
    hint: "REGISTRY_PATH has to be in a folder of root's, on a disk with free space. Remove a file there that other users may write to",
  },
  REGISTRATION_NOT_ALLOWED: {
    meaning:
      "the caller may not register: it is not in a pod, an allowed service or an allowed user's process",
    hint: "set REGISTRATION_UNITS or REGISTRATION_USERS of svc-agent to the wrapper's service or user, and restart svc-agent",
  },
  REGISTRATION_NOT_DESCENDANT: {
    meaning: "a wrapper asks to protect a process that is not its descendant",
    hint: "a wrapper registers the program that it has started, by its number in its own pid namespace",
  },
  REGISTRATION_POD_MISMATCH: {
    meaning: "a wrapper names a pod, and its cgroup or its token belongs to another one",
    hint: "SVC_POD_UID has to come from the downward API (metadata.uid)",
  },
  REGISTRATION_TAKEN: {
    meaning: "the process is protected for a wrapper that is nearer to it",
    hint: "wrappers inside of wrappers: the inner one registers its program",
  },
  REGISTRATION_LIMIT: {
    meaning: "more registrations, streams or messages than one wrapper, pod or user may have",
    hint: "the log of the agent names the limit; a wrapper needs one stream and a registration per program",
  },
  REGISTRATION_MALFORMED: {
    meaning: "a message is malformed, for example a program without a number",
    hint: "the wrapper and the agent may be of different releases",
  },
  REGISTRATION_UNPROVEN: {
    meaning: "the caller has not proven its identity",
    hint: "over TCP: GRPC_TLS_CERT and GRPC_TLS_KEY at the agent, and a token for its audience or a client certificate; on the node use unix:///var/run/svc/agent.sock",
  },
  REGISTRATION_FAILED: {
    meaning: "the kernel did not take a mark, or does not say who the caller is",
    hint: "the agent's log has the system call; it needs the host's pid namespace and CAP_BPF",
  },
  REGISTRATION_ADDRESS_UNUSABLE: {
    meaning: "the address for registrations over TCP cannot be used",
    hint: "GRPC_LISTEN_ADDR has to be an address of this machine with a free port",
  },
  SOCKET_UNUSABLE: {
    meaning: "the socket that takes registrations cannot be opened",
    hint: "GRPC_SOCKET_PATH has to be in a folder that only root may write to; one agent a node",
  },
  REGISTRATION_TLS_UNUSABLE: {
    meaning:
      "the certificate, its key or the CA certificates of registrations over TCP cannot be used",
    hint: "GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CLIENT_CA name PEM files that the agent can read",
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The closed set of codes of `AgentError`. */
export type AgentErrorCode = keyof typeof agentErrorCatalogue;
