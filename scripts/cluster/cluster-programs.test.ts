import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../packages/testing/src/index.ts";
import {
  CLUSTER_PROGRAMS,
  CLUSTER_RELEASES,
  type ClusterPart,
  clusterFolder,
  clusterFolders,
} from "./cluster-programs.ts";

/** The module whose release a part has. */
const modules: Readonly<Record<ClusterPart, string>> = {
  kubernetes: "k8s.io/kubernetes",
  containerd: "github.com/containerd/containerd/v2",
  network: "github.com/containernetworking/plugins",
  coredns: "github.com/coredns/coredns",
};

const parts: readonly ClusterPart[] = ["kubernetes", "containerd", "network", "coredns"];

function goMod(part: ClusterPart): string {
  const root = join(import.meta.dirname, "../..");
  return readFileSync(join(root, CLUSTER_PROGRAMS[part].module, "go.mod"), "utf8");
}

for (const part of parts) {
  describe(part, () => {
    test("has the release that go.mod names", () => {
      expect(goMod(part)).toContain(`\t${modules[part]} v${CLUSTER_RELEASES[part]} // indirect\n`);
    });

    test("names its programs as tools, so that go.sum has all that they need", () => {
      for (const path of Object.values(CLUSTER_PROGRAMS[part].packages)) {
        expect(goMod(part)).toMatch(new RegExp(`^(?:tool |\\t)${path}$`, "m"));
      }
    });

    test("lies in a folder of the cache that names release and content", () => {
      const name = new RegExp(`^/cache/cluster-${part}-${CLUSTER_RELEASES[part]}-[0-9a-f]{12}$`);
      expect(clusterFolder("/cache", part)).toMatch(name);
    });
  });
}

test("programs that are missing are an error that names the command", () => {
  using folder = temporaryFolder();
  expect(() => clusterFolders(folder.path)).toThrow("run: bun scripts/fetch-cluster.ts");
});
