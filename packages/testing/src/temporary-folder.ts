import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is removed with everything in it when it is disposed of. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** Makes an empty folder that only its owner can read; `owner` is a user id, by default ours. */
export function temporaryFolder(owner?: number): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "svc-test-"));
  if (owner !== undefined) chownSync(path, owner, owner);
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
