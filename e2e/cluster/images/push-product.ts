import { join } from "node:path";
import type { ClusterState } from "../cluster-state.ts";
import { once } from "../once.ts";
import { runTool } from "../run-tool.ts";

const pushProgram = join(import.meta.dirname, "../../../scripts/push.ts");

/** Pushes the images of `make images` as `make push` does, once for each cluster. */
export async function pushProductImages(state: ClusterState): Promise<void> {
  await once(state, "product-images", async () => {
    const environment = { SSL_CERT_FILE: state.caFile };
    await runTool([process.execPath, pushProgram, state.registry], { environment });
  });
}
