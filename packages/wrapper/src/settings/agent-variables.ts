import {
  accepted,
  type Parsed,
  parseFilePath,
  parseGoBoolean,
  parseIpAddress,
  parsePlainText,
  parseServerName,
  parseSocketAddress,
  refused,
  variable,
} from "@svc/settings";

/**
 * Parses the UID of a pod. It becomes a part of a cgroup's path, so it holds no slash and no dot.
 * Most are UUIDs; those of static pods are 32 hexadecimal digits.
 */
export function parsePodUid(text: string): Parsed<string> {
  return /^[A-Za-z0-9-]{1,128}$/.test(text)
    ? accepted(text)
    : refused("the UID of a pod, of letters, digits and -");
}

const group = "Kernel agent integration";

/** How the program is registered with the kernel agent of its node. */
export const agentVariables = {
  agentAddress: variable({
    name: "SVC_EBPF_AGENT_ADDR",
    group,
    type: "socket address",
    parse: parseSocketAddress,
    meaning:
      "Address of the kernel agent: `unix:///var/run/svc/agent.sock`, or `host:port` (TLS), port 9443 by custom. The program is registered there before its first instruction. The operator sets it.",
  }),
  agentNodeIp: variable({
    name: "SVC_EBPF_NODE_IP",
    group,
    type: "IP address",
    parse: parseIpAddress,
    meaning:
      "Address of the node; without SVC_EBPF_AGENT_ADDR the agent is looked for at its port 9443. Set through the downward API.",
  }),
  podUid: variable({
    name: "SVC_POD_UID",
    group,
    type: "text",
    parse: parsePodUid,
    meaning:
      "UID of the pod, which the agent compares with the cgroup or the token. Set through the downward API.",
  }),
  podName: variable({
    name: "SVC_POD_NAME",
    group,
    type: "text",
    parse: parsePlainText,
    meaning:
      "Name of the pod, for people who read the agent's events. Set through the downward API.",
  }),
  podNamespace: variable({
    name: "SVC_POD_NAMESPACE",
    group,
    type: "text",
    parse: parsePlainText,
    meaning: "Its namespace, for the same. Set through the downward API.",
  }),
  containerName: variable({
    name: "SVC_CONTAINER_NAME",
    group,
    type: "text",
    parse: parsePlainText,
    meaning: "Name of the container, for the same. The operator sets it.",
  }),
  requireAgent: variable({
    name: "SVC_REQUIRE_AGENT",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "The program is not started before the agent has registered it, and the wrapper exits if that takes longer than SVC_START_DEADLINE. Without it the program waits 2 s at most for an agent that is there, and not at all for one that is away. It starts with a warning then, and is registered when the agent answers.",
  }),
  agentCaPath: variable({
    name: "SVC_EBPF_AGENT_CA",
    group,
    type: "file",
    parse: parseFilePath,
    meaning:
      "CA certificates that an agent behind `host:port` is verified by, instead of the usual ones.",
  }),
  agentServerName: variable({
    name: "SVC_EBPF_AGENT_SERVER_NAME",
    group,
    type: "host name",
    parse: parseServerName,
    meaning: "Name that the agent's certificate has to have, instead of its host.",
  }),
  agentTokenPath: variable({
    name: "SVC_EBPF_AGENT_TOKEN_FILE",
    group,
    type: "file",
    default: "/var/run/secrets/svc.internal/agent/token",
    parse: parseFilePath,
    meaning:
      "Token by which an agent behind `host:port` knows the pod: a projected service account token for its audience (`svc-agent`), not the pod's usual one, which logs in elsewhere. The wrapper sends it over verified TLS only, and none if the file does not exist.",
  }),
  agentCertPath: variable({
    name: "SVC_EBPF_AGENT_CERT",
    group,
    type: "file",
    requiredness: { conditional: "No; only together with SVC_EBPF_AGENT_KEY" },
    parse: parseFilePath,
    meaning: "Certificate that an agent behind `host:port` is shown.",
  }),
  agentKeyPath: variable({
    name: "SVC_EBPF_AGENT_KEY",
    group,
    type: "file",
    requiredness: { conditional: "No; only together with SVC_EBPF_AGENT_CERT" },
    parse: parseFilePath,
    meaning: "Private key of SVC_EBPF_AGENT_CERT.",
  }),
  secretDescriptor: variable({
    name: "SVC_SECRET_FD",
    group,
    type: "number",
    flag: false,
    requiredness: { conditional: "Set by the wrapper" },
    parse: undefined,
    meaning:
      "Descriptor of the protected memory, set by the wrapper for the program and read by the Go library. Given to the wrapper it has no effect.",
  }),
};
