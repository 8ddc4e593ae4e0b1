import { requireBothOrNone } from "./both-or-none.ts";
import { complain, present, type Reading } from "./reading.ts";
import type { AgentSettings } from "./wrapper-settings.ts";

/** Where the agent is and how it is reached. */
export function readAgent(reading: Reading): AgentSettings {
  const { values } = reading;
  const { agentAddress, agentNodeIp, requireAgent, agentTokenPath } = values;
  requireBothOrNone(reading, "agentCertPath", "agentKeyPath");
  if (requireAgent && agentAddress === undefined && agentNodeIp === undefined) {
    complain(reading, {
      variable: "SVC_REQUIRE_AGENT",
      wanted: "set together with SVC_EBPF_AGENT_ADDR or SVC_EBPF_NODE_IP",
      found: "neither is set",
    });
  }
  return {
    ...present({ address: agentAddress, nodeIp: agentNodeIp, podUid: values.podUid }),
    names: present({
      podName: values.podName,
      podNamespace: values.podNamespace,
      containerName: values.containerName,
    }),
    required: requireAgent,
    tls: {
      tokenPath: agentTokenPath,
      ...present({
        caPath: values.agentCaPath,
        serverName: values.agentServerName,
        certPath: values.agentCertPath,
        keyPath: values.agentKeyPath,
      }),
    },
  };
}
