/**
 * Builds the gVisor that tests run the wrapper in and prints its path: `bun scripts/fetch-runsc.ts`.
 * Says on standard error how far it is.
 */
import { env, exit, stderr, stdout } from "node:process";
import { cacheFolder, TestingError } from "../packages/testing/src/tools.ts";
import { buildRunsc } from "./runsc/build-runsc.ts";

const say = (line: string) => void stderr.write(`fetch-runsc: ${line}\n`);

// Relative imports: this runs before anything is installed.
try {
  stdout.write(`${await buildRunsc(cacheFolder(env), env, say)}\n`);
} catch (error) {
  if (!(error instanceof TestingError)) throw error;
  say(error.message);
  exit(1);
}
