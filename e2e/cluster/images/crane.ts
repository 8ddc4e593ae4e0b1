import { cacheFolder } from "@svc/testing";
import { buildCrane } from "../../../scripts/crane/build-crane.ts";
import type { ClusterState } from "../cluster-state.ts";
import { runTool } from "../run-tool.ts";

/** Runs crane, which trusts the cluster's registry. Gives its output. */
export async function crane(state: ClusterState, words: readonly string[]): Promise<string> {
  const say = (line: string) => void process.stderr.write(`crane: ${line}\n`);
  const program = await buildCrane(cacheFolder(process.env), process.env, say);
  const environment = { SSL_CERT_FILE: state.caFile };
  return (await runTool([program, ...words], { environment })).trim();
}
