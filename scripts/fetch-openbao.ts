/**
 * Fetches the OpenBao server that tests run against and prints its path: `bun
 * scripts/fetch-openbao.ts`.
 */
import { env, exit, stderr, stdout } from "node:process";
import { cacheFolder, fetchOpenBao, TestingError } from "../packages/testing/src/tools.ts";

// Relative imports: this runs before anything is installed.
try {
  stdout.write(`${await fetchOpenBao(cacheFolder(env), env)}\n`);
} catch (error) {
  if (!(error instanceof TestingError)) throw error;
  stderr.write(`fetch-openbao: ${error.message}\n`);
  exit(1);
}
