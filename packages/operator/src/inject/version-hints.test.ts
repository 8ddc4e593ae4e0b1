import { expect, test } from "bun:test";
import { injectedContainer, type SmallPod } from "./testdata/injected-container.ts";

const permits = { address: "https://svc-operator.svc-system.svc:8444", authorityPem: "PEM" };
const both = { permits, hints: true };
const none = "none";

test.each([
  ["rotation by restart", { operator: both }, ["true", permits.address]],
  [
    "rotation by signal",
    { operator: both, annotations: { rotation: "sighup" } },
    ["true", permits.address],
  ],
  ["no rotation", { operator: both, annotations: { rotation: "none" } }, [none, none]],
  ["hints that are off", { operator: { permits } }, [none, permits.address]],
  [
    "hints that are off, and rotation by signal",
    { operator: { permits }, annotations: { rotation: "sighup" } },
    [none, none],
  ],
  ["no server yet", { operator: { hints: true } }, [none, none]],
  [
    "a container's own SVC_HINTS",
    { operator: both, container: { env: [{ name: "SVC_HINTS", value: "false" }] } },
    ["false", permits.address],
  ],
  [
    "a container's own server",
    { operator: both, container: { env: [{ name: "SVC_PERMITS_ADDR", value: "https://own:1" }] } },
    [none, "https://own:1"],
  ],
] satisfies readonly (readonly [string, SmallPod, readonly string[]])[])(
  "the variables for %s",
  (_, small, wanted) => {
    const { env = [] } = injectedContainer(small);
    const textOf = (name: string) => {
      const found = (env ?? []).filter((entry) => entry.name === name);
      expect(found.length).toBeLessThanOrEqual(1);
      return found[0]?.value ?? none;
    };
    expect(["SVC_HINTS", "SVC_PERMITS_ADDR"].map(textOf)).toEqual([...wanted]);
  },
);
