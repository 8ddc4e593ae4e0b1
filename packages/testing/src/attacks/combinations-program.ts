import { join } from "node:path";
import { type StaticProgram, staticProgram } from "./static-program.ts";

const folder = join(import.meta.dirname, "../../combinations");

/**
 * The path of `combination`.
 *
 * @param env with HOME or XDG_CACHE_HOME.
 * @throws TestingError `BINARY_MISSING` if it cannot be compiled.
 */
export function combinationProgram(env: StaticProgram["env"]): string {
  return staticProgram({ name: "combination", folder, env });
}
