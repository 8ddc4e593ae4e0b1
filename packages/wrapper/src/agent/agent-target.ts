import type { AgentSettings } from "../settings/wrapper-settings.ts";

/** Where the agent is. */
export type AgentTarget =
  | { readonly kind: "socket"; readonly path: string; readonly label: string }
  | { readonly kind: "tcp"; readonly authority: string; readonly label: string };

const AGENT_PORT = 9443;

/** The agent's address, else its port on the node; undefined if neither is known. */
export function agentTarget({ address, nodeIp }: AgentSettings): AgentTarget | undefined {
  if (address?.startsWith("unix://") === true) {
    return { kind: "socket", path: address.slice("unix://".length), label: address };
  }
  if (address !== undefined) return { kind: "tcp", authority: address, label: address };
  if (nodeIp === undefined) return undefined;
  const authority = `${nodeIp.includes(":") ? `[${nodeIp}]` : nodeIp}:${AGENT_PORT}`;
  return { kind: "tcp", authority, label: authority };
}
