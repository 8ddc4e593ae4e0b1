import { join } from "node:path";
import { type StaticProgram, staticProgram } from "./static-program.ts";

const folder = join(import.meta.dirname, "../../attacks");

/**
 * The path of `svc-attack`.
 *
 * @param env with HOME or XDG_CACHE_HOME.
 * @param architecture of the machine that runs it; by default this one's.
 * @throws TestingError `BINARY_MISSING` if it cannot be compiled.
 */
export function attackProgram(env: StaticProgram["env"], architecture?: string): string {
  const other = architecture === undefined ? {} : { architecture };
  return staticProgram({ name: "svc-attack", folder, env, ...other });
}
