import { expect, test } from "bun:test";
import { agentTarget } from "./agent-target.ts";

const socket = "unix:///var/run/svc/agent.sock";
const rows: readonly (readonly [
  name: string,
  settings: { readonly address?: string; readonly nodeIp?: string },
  where: string | undefined,
])[] = [
  ["a socket", { address: socket, nodeIp: "10.0.0.1" }, "/var/run/svc/agent.sock"],
  ["an address", { address: "agent.svc:9443", nodeIp: "10.0.0.1" }, "agent.svc:9443"],
  ["the node", { nodeIp: "10.0.0.1" }, "10.0.0.1:9443"],
  ["the node, IPv6", { nodeIp: "fd00::1" }, "[fd00::1]:9443"],
  ["nowhere", {}, undefined],
];
for (const [name, settings, where] of rows) {
  test(`the agent is looked for at ${name}`, () => {
    const target = agentTarget({
      ...settings,
      names: {},
      required: false,
      tls: { tokenPath: "/t" },
    });
    expect(target?.kind === "socket" ? target.path : target?.authority).toBe(where);
  });
}
