import { join } from "node:path";
import { buildPrograms, type ForeignPrograms } from "../go/build-programs.ts";
import { runscFolder } from "./runsc-release.ts";

const runsc: ForeignPrograms = {
  what: "gVisor",
  module: "scripts/runsc",
  packages: { runsc: "gvisor.dev/gvisor/runsc" },
  variables: {},
};

/**
 * Makes sure that gVisor's runsc is in `cache`, compiled from the modules that go.sum names by hash,
 * and gives its path. From an empty cache that takes about four minutes of CPU time, and `say` gets
 * lines about it. Throws `FETCH_FAILED`.
 */
export async function buildRunsc(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<string> {
  const folder = runscFolder(cache);
  await buildPrograms(runsc, folder, env, say);
  return join(folder, "runsc");
}
