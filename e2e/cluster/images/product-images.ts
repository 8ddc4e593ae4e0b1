import { join } from "node:path";
import { version } from "../../../packages/protocol/src/version.ts";
import type { ClusterState } from "../cluster-state.ts";
import { once } from "../once.ts";
import { runTool } from "../run-tool.ts";

/** The full names of the project's images in the cluster's registry. */
export interface ProductImages {
  readonly wrapper: string;
  readonly operator: string;
  readonly agent: string;
  readonly svc: string;
}

const pushProgram = join(import.meta.dirname, "../../../scripts/push-images.ts");

/** Pushes what `make images` has made as `make push` does, once for each cluster. */
export async function productImages(state: ClusterState): Promise<ProductImages> {
  return once(state, "product-images", async () => {
    const environment = { SSL_CERT_FILE: state.caFile };
    await runTool([process.execPath, pushProgram, state.registry], { environment });
    const nameOf = (image: string) => `${state.registry}/${image}:${version}`;
    return {
      wrapper: nameOf("svc-wrapper"),
      operator: nameOf("svc-operator"),
      agent: nameOf("svc-agent"),
      svc: nameOf("svc"),
    };
  });
}
