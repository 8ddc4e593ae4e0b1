import { join } from "node:path";
import { buildPrograms, type ForeignPrograms } from "../go/build-programs.ts";
import { collectorFolder } from "./collector-release.ts";

const collector: ForeignPrograms = {
  what: "the OpenTelemetry Collector",
  module: "scripts/collector",
  packages: { collector: "svc.internal/collector" },
  variables: {},
};

/**
 * Makes sure that the collector is in `cache`, compiled from the modules that go.sum names by hash,
 * and gives its path. From an empty cache that takes about two minutes of CPU time, and `say` gets
 * lines about it. Throws `FETCH_FAILED`.
 */
export async function buildCollector(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<string> {
  const folder = collectorFolder(cache);
  await buildPrograms(collector, folder, env, say);
  return join(folder, "collector");
}
