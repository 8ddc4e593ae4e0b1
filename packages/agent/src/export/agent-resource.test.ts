import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { agentResource, machineId } from "./agent-resource.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test("the agent's own attributes win over given ones, and each start is an instance", () => {
  const given = { "service.name": "mine", "k8s.node.name": "other", "k8s.cluster.name": "prod" };
  const [one, two] = [agentResource("node-1", given), agentResource("node-1")];
  expect(one.attributes).toMatchObject({
    "service.name": "svc-agent",
    "k8s.node.name": "node-1",
    "k8s.cluster.name": "prod",
  });
  const id = "service.instance.id";
  expect(one.attributes[id]).toBeString();
  expect(one.attributes[id]).not.toBe(two.attributes[id] ?? "");
});

test("machineId takes the first file that has one", () => {
  const [empty, good] = [join(folder.path, "empty"), join(folder.path, "good")];
  writeFileSync(empty, "uninitialized\n");
  writeFileSync(good, `${"0a".repeat(16)}\n`);
  expect(machineId([join(folder.path, "none"), empty, good])).toBe("0a".repeat(16));
  expect(machineId([empty])).toBeUndefined();
});
