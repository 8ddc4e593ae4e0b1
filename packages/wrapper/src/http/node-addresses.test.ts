import { expect, test } from "bun:test";
import { defaultGateways, nodeAddresses } from "./node-addresses.ts";

const header =
  "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";

test.each([
  [
    "a bridge's default route",
    "eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\n",
    ["192.168.1.1"],
  ],
  ["Calico's", "eth0\t00000000\t0101FEA9\t0003\t0\t0\t0\t00000000\n", ["169.254.1.1"]],
  ["no default route", "eth0\t0000F40A\t00000000\t0001\t0\t0\t0\t0000FFFF\n", []],
  ["nothing", "", []],
])("defaultGateways reads %s", (_name, lines, gateways) => {
  expect(defaultGateways(header + lines)).toEqual(gateways);
});

test("nodeAddresses has loopback and the node's address", () => {
  expect(nodeAddresses("10.1.2.3")).toContainValues(["127.0.0.1", "::1", "10.1.2.3"]);
});
