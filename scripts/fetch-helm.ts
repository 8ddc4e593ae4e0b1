/**
 * Builds the Helm that tests install charts with and prints its path: `bun scripts/fetch-helm.ts`.
 * Says on standard error how far it is.
 */
import { env, exit, stderr, stdout } from "node:process";
import { cacheFolder, TestingError } from "../packages/testing/src/tools.ts";
import { buildHelm } from "./helm/build-helm.ts";

const say = (line: string) => void stderr.write(`fetch-helm: ${line}\n`);

// Relative imports: this runs before anything is installed.
try {
  stdout.write(`${await buildHelm(cacheFolder(env), env, say)}\n`);
} catch (error) {
  if (!(error instanceof TestingError)) throw error;
  say(error.message);
  exit(1);
}
