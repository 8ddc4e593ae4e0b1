import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/**
 * The folder in the cache for the programs of a module in this repository, whether they are there
 * yet or not: another go.mod or go.sum is another folder.
 *
 * @param module from the root, as `scripts/helm`
 * @param label as `helm-4.3.1`
 */
export function moduleFolder(cache: string, module: string, label: string): string {
  const hash = createHash("sha256");
  for (const name of ["go.mod", "go.sum"]) hash.update(readFileSync(join(root, module, name)));
  return join(cache, `${label}-${hash.digest("hex").slice(0, 12)}`);
}
