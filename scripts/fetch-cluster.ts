/**
 * Builds the programs of a cluster with pods and prints their folders:
 * `bun scripts/fetch-cluster.ts`. Says on standard error how far it is.
 */
import { env, exit, stderr, stdout } from "node:process";
import { cacheFolder, TestingError } from "../packages/testing/src/tools.ts";
import { buildCluster } from "./cluster/build-cluster.ts";

const say = (line: string) => void stderr.write(`fetch-cluster: ${line}\n`);

// Relative imports: this runs before anything is installed.
try {
  const folders = await buildCluster(cacheFolder(env), env, say);
  stdout.write(`${Object.values(folders).join("\n")}\n`);
} catch (error) {
  if (!(error instanceof TestingError)) throw error;
  say(error.message);
  exit(1);
}
