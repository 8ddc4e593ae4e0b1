/**
 * Builds the OpenTelemetry Collector that tests send events to and prints its path:
 * `bun scripts/fetch-collector.ts`. Says on standard error how far it is.
 */
import { env, exit, stderr, stdout } from "node:process";
import { cacheFolder, TestingError } from "../packages/testing/src/tools.ts";
import { buildCollector } from "./collector/build-collector.ts";

const say = (line: string) => void stderr.write(`fetch-collector: ${line}\n`);

// Relative imports: this runs before anything is installed.
try {
  stdout.write(`${await buildCollector(cacheFolder(env), env, say)}\n`);
} catch (error) {
  if (!(error instanceof TestingError)) throw error;
  say(error.message);
  exit(1);
}
