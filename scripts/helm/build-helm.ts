import { join } from "node:path";
import { buildPrograms, type ForeignPrograms } from "../go/build-programs.ts";
import { HELM_VERSION, helmFolder } from "./helm-release.ts";

const helm: ForeignPrograms = {
  what: "Helm",
  module: "scripts/helm",
  packages: { helm: "helm.sh/helm/v4/cmd/helm" },
  variables: { "helm.sh/helm/v4/internal/version.version": `v${HELM_VERSION}` },
};

/**
 * Makes sure that Helm is in `cache`, compiled from the modules that go.sum names by hash, and
 * gives its path. From an empty cache that takes about four minutes of CPU time, and `say` gets
 * lines about it. Throws `FETCH_FAILED`.
 */
export async function buildHelm(
  cache: string,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<string> {
  const folder = helmFolder(cache);
  await buildPrograms(helm, folder, env, say);
  return join(folder, "helm");
}
