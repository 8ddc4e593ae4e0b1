import { join } from "node:path";
import { buildPrograms, type ForeignPrograms } from "../go/build-programs.ts";
import { moduleFolder } from "../go/module-folder.ts";

/** The nfpm that packages are made with, in the version of `go.mod` here. */
export const NFPM_VERSION = "2.45.2";

const module = "scripts/nfpm";
const nfpm: ForeignPrograms = {
  what: "nfpm",
  module,
  packages: { nfpm: "github.com/goreleaser/nfpm/v2/cmd/nfpm" },
  variables: {},
};

/**
 * Makes sure that nfpm is in `cache`, compiled from the modules that go.sum names by hash, and
 * gives its path. From an empty cache that takes about a minute, and `say` gets lines about it.
 *
 * @throws TestingError `FETCH_FAILED`
 */
export async function buildNfpm(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<string> {
  const folder = moduleFolder(cache, module, `nfpm-${NFPM_VERSION}`);
  await buildPrograms(nfpm, folder, env, say);
  return join(folder, "nfpm");
}
