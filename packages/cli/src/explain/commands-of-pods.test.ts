import { expect, test } from "bun:test";
import { commandsOfPods } from "./commands-of-pods.ts";

const image = "registry.test/app:1";
const template = {
  metadata: {},
  spec: {
    containers: [
      { name: "app", image },
      { name: "own", image: "registry.test/own:1", command: ["/own"] },
    ],
  },
};
const made = (container: object, original = '["/srv/$$app","serve"]') => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1" },
  spec: {
    containers: [
      { name: "app", image, env: [{ name: "SVC_ORIGINAL_CMD", value: original }], ...container },
    ],
  },
});
const known = [
  [image, { kind: "found", config: { entrypoint: ["/srv/$app", "serve"], command: [] } }],
];

test.each([
  ["has the image and a wrapper tells it", [made({})], ["app"], known],
  ["has another image does not", [made({ image: "registry.test/app:2" })], ["app"], []],
  ["has no wrapper does not", [made({})], [], []],
  ["has an unreadable command does not", [made({}, "/srv/app")], ["app"], []],
  ["has an empty command does not", [made({}, "[]")], ["app"], []],
  ["cannot be parsed does not", [{ metadata: { name: "x" } }], ["app"], []],
  ["was never made does not", [], ["app"], []],
] as const)("the command of an image: a pod that %s", (_, pods, wrapped, expected) => {
  const told = commandsOfPods(template, [...pods], () => wrapped);
  expect([...told]).toEqual([...expected] as never);
});
