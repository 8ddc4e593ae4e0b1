import {
  parseFilePath,
  parseGoBoolean,
  parseIpAddress,
  parseListenAddress,
  parseOneOf,
  parseSocketAddress,
  variable,
} from "@svc/settings";
import { parsePodUid } from "./pod-uid.ts";

const agent = "Kernel agent integration";
const health = "Health server";
const memory = "Memory protection";
const transport = "Health/unseal server transport";
const log = "Logging";

/** The wrapper's surroundings: agent, health server, memory and log. */
export const serverVariables = {
  agentAddress: variable({
    name: "SVC_EBPF_AGENT_ADDR",
    group: agent,
    type: "socket address",
    parse: parseSocketAddress,
    meaning:
      "Address of the kernel agent: `unix:///var/run/svc/agent.sock` or `host:port`, port 9443 by custom. The operator sets it. Checked, without effect in this version.",
  }),
  agentNodeIp: variable({
    name: "SVC_EBPF_NODE_IP",
    group: agent,
    type: "IP address",
    parse: parseIpAddress,
    meaning:
      "Address of the node; without SVC_EBPF_AGENT_ADDR the agent is looked for at its port 9443. Set through the downward API. Checked, without effect in this version.",
  }),
  podUid: variable({
    name: "SVC_POD_UID",
    group: agent,
    type: "text",
    parse: parsePodUid,
    meaning:
      "UID of the pod, by which the agent knows its cgroup. Set through the downward API. Checked, without effect in this version.",
  }),
  secretDescriptor: variable({
    name: "SVC_SECRET_FD",
    group: agent,
    type: "number",
    flag: false,
    requiredness: { conditional: "Set by the wrapper" },
    parse: undefined,
    meaning:
      "Descriptor of the protected memory, set by the wrapper for the program and read by the Go library. Given to the wrapper it has no effect.",
  }),
  healthAddress: variable({
    name: "HEALTH_ADDR",
    group: health,
    type: "listen address",
    default: ":8199",
    parse: parseListenAddress,
    meaning:
      "Address of the health/unseal HTTP server: `:8199`, `host:port` or `[::1]:port`. Port 0 is any free port; the log says which.",
  }),
  requireMlock: variable({
    name: "SVC_REQUIRE_MLOCK",
    group: memory,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "The wrapper exits if mlock() fails. Without mlock secrets may be written to swap. Needs CAP_IPC_LOCK or a sufficient RLIMIT_MEMLOCK.",
  }),
  requireMemfdSecret: variable({
    name: "SVC_REQUIRE_MEMFD_SECRET",
    group: memory,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning: "The wrapper exits if memfd_secret() is not available. Needs Linux 5.14 or later.",
  }),
  brokerCertPath: variable({
    name: "SVC_BROKER_TLS_CERT",
    group: transport,
    type: "file",
    requiredness: { conditional: "No; only together with SVC_BROKER_TLS_KEY" },
    parse: parseFilePath,
    meaning:
      "TLS certificate of the health/unseal server. With it and its key the server uses TLS.",
  }),
  brokerKeyPath: variable({
    name: "SVC_BROKER_TLS_KEY",
    group: transport,
    type: "file",
    requiredness: { conditional: "No; only together with SVC_BROKER_TLS_CERT" },
    parse: parseFilePath,
    meaning: "Private key of SVC_BROKER_TLS_CERT.",
  }),
  brokerClientCaPath: variable({
    name: "SVC_BROKER_TLS_CA",
    group: transport,
    type: "file",
    requiredness: { conditional: "No; only together with SVC_BROKER_TLS_CERT" },
    parse: parseFilePath,
    meaning:
      "CA certificates by which clients of /v1/unseal are verified (mutual TLS). The other paths ask for no certificate.",
  }),
  logLevel: variable({
    name: "SVC_LOG_LEVEL",
    group: log,
    type: "word",
    default: "info",
    parse: parseOneOf(["debug", "info", "warn", "error"]),
    meaning: "The least important lines to log: `debug`, `info`, `warn` or `error`.",
  }),
  logFormat: variable({
    name: "SVC_LOG_FORMAT",
    group: log,
    type: "word",
    default: "auto",
    parse: parseOneOf(["auto", "json", "text"]),
    meaning: "`json`, `text`, or `auto`: text on a terminal, else JSON lines.",
  }),
};
