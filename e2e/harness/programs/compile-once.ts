import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "@svc/testing";
import { settleFolder } from "../processes/settle-folder.ts";

/** A compilation. */
export interface Compilation {
  /** The name of the program. */
  readonly name: string;
  /** Everything that the result depends on. */
  readonly from: readonly (string | Uint8Array)[];
  /** The command that makes `target` in a separate folder. */
  readonly command: (target: string) => readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Compiles a program into the cache, once for each content of its sources. Returns its path. */
export function compileOnce({ name, from, command, environment }: Compilation): string {
  const hash = createHash("sha256");
  for (const part of from) hash.update(part).update("\0");
  const cache = cacheFolder(process.env);
  const folder = join(cache, `e2e-compiled-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) return join(folder, name);
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "e2e-compiled-new-"));
  const words = command(join(fresh, name));
  const { exitCode, stderr } = Bun.spawnSync([...words], {
    env: { ...process.env, ...environment },
  });
  if (exitCode !== 0) throw new TypeError(`${words.join(" ")}: ${stderr.toString()}`);
  settleFolder(fresh, folder);
  return join(folder, name);
}
