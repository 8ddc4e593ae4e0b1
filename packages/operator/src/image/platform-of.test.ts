import { describe, expect, test } from "bun:test";
import type { NodeSelectorExpression, PodSpec } from "../pod/pod.ts";
import { platformText } from "./platform.ts";
import { platformOf } from "./platform-of.ts";

const affinity = (...terms: readonly (readonly NodeSelectorExpression[])[]) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })),
    },
  },
});
const arch = (operator: string, ...values: string[]) => ({
  key: "kubernetes.io/arch",
  operator,
  values,
});
const both = "linux/amd64 or linux/arm64";

const rows: readonly [what: string, spec: Partial<PodSpec>, expected: string][] = [
  ["says nothing", {}, both],
  ["selects an architecture", { nodeSelector: { "kubernetes.io/arch": "arm64" } }, "linux/arm64"],
  [
    "selects by the old label",
    { nodeSelector: { "beta.kubernetes.io/arch": "amd64" } },
    "linux/amd64",
  ],
  [
    "selects one that does not exist",
    { nodeSelector: { "kubernetes.io/arch": "s390x" } },
    "linux on no architecture",
  ],
  ["selects something else", { nodeSelector: { disk: "ssd" } }, both],
  ["requires one", { affinity: affinity([arch("In", "arm64")]) }, "linux/arm64"],
  ["requires one of two", { affinity: affinity([arch("In", "arm64", "amd64")]) }, both],
  ["excludes one", { affinity: affinity([arch("NotIn", "arm64")]) }, "linux/amd64"],
  [
    "has terms, of which any may hold",
    { affinity: affinity([arch("In", "arm64")], [arch("In", "amd64")]) },
    both,
  ],
  ["has a term without the label", { affinity: affinity([arch("In", "arm64")], []) }, both],
  [
    "has expressions, of which all must hold",
    { affinity: affinity([arch("In", "arm64", "amd64"), arch("NotIn", "amd64")]) },
    "linux/arm64",
  ],
  [
    "has selector and affinity, which both must hold",
    { nodeSelector: { "kubernetes.io/arch": "amd64" }, affinity: affinity([arch("In", "arm64")]) },
    "linux on no architecture",
  ],
  ["names its system", { os: { name: "windows" } }, "windows/amd64 or windows/arm64"],
  [
    "selects its system",
    { nodeSelector: { "kubernetes.io/os": "windows" } },
    "windows/amd64 or windows/arm64",
  ],
];

describe("a pod that", () => {
  for (const [what, spec, expected] of rows) {
    test(`${what} may run on ${expected}`, () => {
      const platform = platformOf({ containers: [], ...spec }, ["amd64", "arm64"]);
      expect(platformText(platform)).toBe(expected);
    });
  }
});
