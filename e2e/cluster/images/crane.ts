import type { ClusterState } from "../cluster-state.ts";
import { runTool } from "../run-tool.ts";

/** Runs crane, which trusts the cluster's registry. Gives what it prints. */
export async function crane(state: ClusterState, words: readonly string[]): Promise<string> {
  const environment = { SSL_CERT_FILE: state.caFile };
  return (await runTool(["/tmp/tools/crane", ...words], { environment })).trim();
}
