import { join } from "node:path";
import { buildPrograms, type ForeignPrograms } from "../go/build-programs.ts";
import { moduleFolder } from "../go/module-folder.ts";

/** The crane that images are made and pushed with, in the version of `go.mod` here. */
export const CRANE_VERSION = "0.22.1";

const module = "scripts/crane";
const crane: ForeignPrograms = {
  what: "crane",
  module,
  packages: { crane: "github.com/google/go-containerregistry/cmd/crane" },
  variables: { "github.com/google/go-containerregistry/cmd/crane/cmd.Version": CRANE_VERSION },
};

/**
 * Makes sure that crane is in `cache`, compiled from the modules that go.sum names by hash, and
 * gives its path. From an empty cache that takes about a minute, and `say` gets lines about it.
 *
 * @throws TestingError `FETCH_FAILED`
 */
export async function buildCrane(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<string> {
  const folder = moduleFolder(cache, module, `crane-${CRANE_VERSION}`);
  await buildPrograms(crane, folder, env, say);
  return join(folder, "crane");
}
