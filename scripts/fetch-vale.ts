/**
 * Builds the prose linter Vale and prints its path: `bun scripts/fetch-vale.ts`. Says on standard
 * error how far it is.
 */
import { env, exit, stderr, stdout } from "node:process";
import { cacheFolder, TestingError } from "../packages/testing/src/tools.ts";
import { buildVale } from "./vale/build-vale.ts";

const say = (line: string) => void stderr.write(`fetch-vale: ${line}\n`);

// Relative imports: this runs before anything is installed.
try {
  stdout.write(`${await buildVale(cacheFolder(env), env, say)}\n`);
} catch (error) {
  if (!(error instanceof TestingError)) throw error;
  say(error.message);
  exit(1);
}
