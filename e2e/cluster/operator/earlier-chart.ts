import { join } from "node:path";
import { runTool, tryTool } from "../run-tool.ts";

/** The commit before charts could name all images by one registry: nothing was released yet. */
export const EARLIER_COMMIT = "de89553";

const root = join(import.meta.dirname, "../../..");

/**
 * Unpacks the operator's chart of the earlier commit into a folder; undefined if the clone has no
 * such commit, because it is a shallow one.
 */
export async function earlierChart(folder: string): Promise<string | undefined> {
  const git = ["git", "-C", root];
  const known = await tryTool([...git, "cat-file", "-e", `${EARLIER_COMMIT}^{commit}`]);
  if (known.exitCode !== 0) return undefined;
  const archive = join(folder, "charts.tar");
  await runTool([...git, "archive", `--output=${archive}`, EARLIER_COMMIT, "deploy/charts"]);
  await runTool(["tar", "--extract", `--file=${archive}`, `--directory=${folder}`]);
  return join(folder, "deploy/charts/svc");
}
