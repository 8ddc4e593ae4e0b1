import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileOnce } from "../../harness/programs/compile-once.ts";
import type { ClusterState } from "../cluster-state.ts";
import { pushImage } from "./push-image.ts";

/** Pushes the image of the process that holds a pod's namespaces. */
export async function pushPauseImage(state: ClusterState): Promise<string> {
  const source = join(import.meta.dirname, "../testdata/pause.c");
  const program = compileOnce({
    name: "pause",
    from: [readFileSync(source)],
    command: (target) => {
      const strict = ["-std=gnu11", "-Os", "-Wall", "-Wextra", "-Werror"];
      return ["gcc", ...strict, "-static", "-s", source, "-o", target];
    },
  });
  return pushImage(state, {
    name: "pause:1",
    files: { "/pause": program },
    entrypoint: ["/pause"],
  });
}
