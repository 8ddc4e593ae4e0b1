import { existsSync } from "node:fs";
import { join } from "node:path";
import { TestingError } from "../../packages/testing/src/tools.ts";
import { moduleFolder } from "../go/module-folder.ts";

/** The Helm that tests install charts with, in the version of `scripts/helm/go.mod`. */
export const HELM_VERSION = "4.3.1";

/**
 * The folder in the cache for the Helm that go.mod and go.sum say, whether it is there yet or not.
 */
export function helmFolder(cache: string): string {
  return moduleFolder(cache, "scripts/helm", `helm-${HELM_VERSION}`);
}

/** The path of helm; throws `BINARY_MISSING`, with the command to run, when it was not built. */
export function helmProgram(cache: string): string {
  const path = join(helmFolder(cache), "helm");
  if (existsSync(path)) return path;
  throw new TestingError("BINARY_MISSING", `find Helm ${HELM_VERSION}: no file ${path}`, {
    hint: "run: bun scripts/fetch-helm.ts",
  });
}
