import { join } from "node:path";
import { buildPrograms, type ForeignPrograms } from "../go/build-programs.ts";
import { moduleFolder } from "../go/module-folder.ts";

const VALE_VERSION = "3.21.0";

const module = "scripts/vale";
const vale: ForeignPrograms = {
  what: "Vale",
  module,
  packages: { vale: "github.com/vale-cli/vale/v3/cmd/vale" },
  variables: { "main.version": VALE_VERSION },
  // Vale's parsers of source code are written in C.
  cgo: true,
};

/**
 * Builds Vale into `cache` unless it is there, and returns the program's path. `go.sum` pins the
 * modules by hash. The first build takes about 40 s and reports its progress to `say`.
 *
 * @throws TestingError `FETCH_FAILED`
 */
export async function buildVale(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<string> {
  const folder = moduleFolder(cache, module, `vale-${VALE_VERSION}`);
  await buildPrograms(vale, folder, env, say);
  return join(folder, "vale");
}
