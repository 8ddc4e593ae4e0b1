import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../packages/testing/src/index.ts";
import { COLLECTOR_VERSION, collectorFolder, collectorProgram } from "./collector-release.ts";

test("go.mod names the collector that the tests say they use", () => {
  const goMod = readFileSync(join(import.meta.dirname, "go.mod"), "utf8");
  expect(goMod).toContain(`\tgo.opentelemetry.io/collector/otelcol v${COLLECTOR_VERSION}\n`);
});

test("another go.sum would be another folder in the cache", () => {
  expect(collectorFolder("/cache")).toMatch(/^\/cache\/collector-\d+\.\d+\.\d+-[0-9a-f]{12}$/);
});

test("a collector that is missing is an error that names the command", () => {
  using folder = temporaryFolder();
  expect(() => collectorProgram(folder.path)).toThrow("run: bun scripts/fetch-collector.ts");
});
