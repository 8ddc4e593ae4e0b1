import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const PREFIX = ".work-";

/** A folder for unfinished results. */
export interface WorkFolder extends Disposable {
  readonly path: string;
}

/** Makes a folder inside `parent`, and removes those of processes that were killed. */
export function workFolder(parent: string): WorkFolder {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^\\${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
  const path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
