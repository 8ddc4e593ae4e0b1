import { describe, expect, test } from "bun:test";
import { choosePods, describeNoPods, type PodFacts, type Release } from "./choose-pods.ts";

const release: Release = { namespace: "vault", releaseName: "bao" };

function pod(name: string, changed: Partial<PodFacts> = {}): PodFacts {
  return {
    ...{ name, uid: `uid-of-${name}`, labels: {}, owners: ["StatefulSet"], phase: "Running" },
    ...{ hostname: undefined, subdomain: undefined, containers: "c", claims: [] },
    ...changed,
  };
}

const instance = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  labels: { "app.kubernetes.io/instance": name, ...more },
});
const server = instance("bao", { component: "server" });

const rows: readonly (readonly [
  name: string,
  pods: readonly PodFacts[],
  wanted: Partial<Release>,
  found: readonly string[],
])[] = [
  ["by their release, with any names", [pod("bao-openbao-0", server)], {}, ["bao-openbao-0"]],
  [
    "by number and not by text",
    ["bao-10", "bao-2", "bao-0"].map((name) => pod(name, server)),
    {},
    ["bao-0", "bao-2", "bao-10"],
  ],
  [
    "servers alone, if labels say which are",
    [pod("bao-openbao-0", server), pod("bao-csi-0", instance("bao", { component: "csi" }))],
    {},
    ["bao-openbao-0"],
  ],
  [
    "servers by the label of Kubernetes' own as well",
    [
      pod("bao-openbao-0", instance("bao", { "app.kubernetes.io/component": "server" })),
      pod("bao-csi-0", instance("bao")),
    ],
    {},
    ["bao-openbao-0"],
  ],
  [
    "not those of another release whose names begin the same",
    [pod("store-0", instance("bao")), pod("bao-0", instance("other"))],
    {},
    ["store-0"],
  ],
  ["by their names, if none has the label", [pod("bao-0"), pod("bao-1")], {}, ["bao-0", "bao-1"]],
  [
    "by a configured prefix, with any labels",
    [pod("bao-openbao-0", server), pod("other-0")],
    { podPrefix: "other" },
    ["other-0"],
  ],
  ["without those of a Job", [pod("bao-0", { owners: ["Job"] }), pod("bao-1")], {}, ["bao-1"]],
  ["also without an owner", [pod("bao-0", { owners: [] })], {}, ["bao-0"]],
  ["without names that have no number", [pod("bao-0-x"), pod("bao-x"), pod("bao-01")], {}, []],
];

describe("the store's pods are found", () => {
  test.each(rows)("%s", (_, pods, wanted, found) => {
    const chosen = choosePods(pods, { ...release, ...wanted });
    expect(chosen.map(({ name }) => name)).toEqual([...found]);
  });
});

test.each([
  [
    "from its host name and the headless service",
    { hostname: "bao-0", subdomain: "headless" },
    "bao-0.headless.vault",
  ],
  ["as the charts name the service, if the pod has none", {}, "bao-0.bao-internal.vault"],
])("a pod's name in the DNS comes %s", (_, changed, host) => {
  expect(choosePods([pod("bao-0", changed)], release)[0]?.host).toBe(host);
});

test("pods of two StatefulSets of the release are not told apart by guessing", () => {
  const pods = [pod("a-0", server), pod("b-0", server), pod("b-1", server)];
  expect(() => choosePods(pods, release)).toThrow(
    'find the store\'s pods in namespace "vault": app.kubernetes.io/instance=bao is of a-<n> and b-<n>',
  );
});

test.each([
  [[], {}, 'or is called bao-<n>; namespace "vault" has no pods'],
  [[pod("x-0", instance("x")), pod("y")], {}, "there are x-0 (of release x), y"],
  [[pod("x-0")], { podPrefix: "bao" }, "no pod of a StatefulSet is called bao-<n>; there are x-0"],
  [Array.from({ length: 7 }, (_, n) => pod(`x-${n}`)), {}, "x-4 and 2 more"],
])("if there is no pod, the message lists the others: %#", (pods, wanted, text) => {
  expect(describeNoPods(pods, { ...release, ...wanted })).toContain(text);
});
