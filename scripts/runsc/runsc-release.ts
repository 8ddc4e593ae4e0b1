import { existsSync } from "node:fs";
import { join } from "node:path";
import { TestingError } from "../../packages/testing/src/tools.ts";
import { moduleFolder } from "../go/module-folder.ts";

/** The day of the commit of gVisor that `go.mod` here names. */
const RELEASE = "20260905";

/** The folder in the cache for gVisor's runsc, whether it is there yet or not. */
export function runscFolder(cache: string): string {
  return moduleFolder(cache, "scripts/runsc", `runsc-${RELEASE}`);
}

/**
 * The runsc that tests run containers with.
 *
 * @throws TestingError `BINARY_MISSING`
 */
export function runscProgram(cache: string): string {
  const path = join(runscFolder(cache), "runsc");
  if (existsSync(path)) return path;
  throw new TestingError("BINARY_MISSING", `no gVisor at ${path}`, {
    hint: "run: bun scripts/fetch-runsc.ts",
  });
}
