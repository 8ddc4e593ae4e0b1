import { describe, expect, test } from "bun:test";
import { evictableVolumes } from "./local-volumes.ts";

const name = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";
const copy = { name: "svc-bundle", emptyDir: {} };
const socket = { name: "svc-agent", hostPath: { path: "/run" } };
const account = { name: "svc-account", projected: {} };

const rows: Readonly<Record<string, readonly [own: string | undefined, expected: string]>> = {
  "is set": [undefined, "svc-bundle,svc-agent"],
  "is set if it is empty": ["", "svc-bundle,svc-agent"],
  "keeps the pod's own volumes": ["cache, tmp", "cache,tmp,svc-bundle,svc-agent"],
  "names no volume twice": ["svc-bundle,cache", "svc-bundle,cache,svc-agent"],
};

describe("the autoscaler's annotation", () => {
  for (const [what, [own, expected]] of Object.entries(rows)) {
    test(what, () => {
      const annotations = own === undefined ? {} : { [name]: own };
      const pod = { metadata: { annotations }, spec: { containers: [] } };
      expect(evictableVolumes(pod, [copy, socket, account])).toEqual({ [name]: expected });
    });
  }

  test("is left alone if no volume counts as local", () => {
    const pod = { metadata: { annotations: { [name]: "x" } }, spec: { containers: [] } };
    expect(evictableVolumes(pod, [account])).toEqual({});
  });
});
