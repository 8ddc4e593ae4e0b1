import { chmodSync, copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@svc/testing";
import type { Chain } from "./chain.ts";

/** The folder in which a run reads and writes. */
export interface ChainFolder {
  readonly path: string;
  /** Each worker leaves its digest here, in a file that is called as its pid. */
  readonly proofs: string;
  /** Workers end when this file is there. */
  readonly end: string;
  readonly port: number;
}

/** Makes the folder of a run. Every user may write in it: a chain may change its user. */
export function makeChainFolder(path: string, chain: Chain, workers: string): ChainFolder {
  const port = freePort();
  cpSync(workers, path, { recursive: true });
  const proofs = join(path, "proofs");
  mkdirSync(proofs);
  for (const folder of [path, proofs]) chmodSync(folder, 0o777);
  for (const [name, text] of Object.entries(chain.files ?? {})) {
    const file = join(path, name.replace(/!$/, ""));
    for (let at = join(file, ".."); at !== path; at = join(at, "..")) {
      mkdirSync(at, { recursive: true });
      chmodSync(at, 0o777);
    }
    writeFileSync(file, filledIn(text, { path, port }), {
      mode: name.endsWith("!") ? 0o755 : 0o644,
    });
  }
  for (const [name, worker] of Object.entries(chain.copies ?? {})) {
    copyFileSync(join(workers, worker), join(path, name));
  }
  return { path, proofs, end: join(path, "end"), port };
}

/** Puts the folder's path in the place of FOLDER in a text, and its port in the place of PORT. */
export function filledIn(text: string, { path, port }: Pick<ChainFolder, "path" | "port">): string {
  return text.replaceAll("FOLDER", path).replaceAll(/\bPORT\b/g, String(port));
}
