import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TestingError } from "../../packages/testing/src/tools.ts";

/**
 * The OpenTelemetry Collector that tests send events to, in the version of
 * `scripts/collector/go.mod`.
 */
export const COLLECTOR_VERSION = "0.162.0";

/**
 * The folder in the cache for the collector that its sources say, whether it is there yet or not.
 */
export function collectorFolder(cache: string): string {
  const hash = createHash("sha256");
  for (const name of ["go.mod", "go.sum", "main.go"]) {
    hash.update(readFileSync(join(import.meta.dirname, name)));
  }
  return join(cache, `collector-${COLLECTOR_VERSION}-${hash.digest("hex").slice(0, 12)}`);
}

/**
 * The path of the collector; throws `BINARY_MISSING`, with the command to run, when it was not
 * built.
 */
export function collectorProgram(cache: string): string {
  const path = join(collectorFolder(cache), "collector");
  if (existsSync(path)) return path;
  throw new TestingError(
    "BINARY_MISSING",
    `find the collector ${COLLECTOR_VERSION}: no file ${path}`,
    {
      hint: "run: bun scripts/fetch-collector.ts",
    },
  );
}
