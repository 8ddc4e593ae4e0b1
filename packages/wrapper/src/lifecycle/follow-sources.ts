import { fileStamp, SyscallError } from "@svc/kernel";

/** Between two looks at the files. */
const LOOK_MS = 3000;

/**
 * Looks at files and folders every three seconds, and calls back after one was written, replaced or
 * removed. It opens nothing, so the supervisor reads no secret. A volume of a kubelet changes as a
 * whole, and so does its folder. The check of each interval finds a file that is written in place in
 * a folder.
 */
export function followSources(paths: readonly string[], onChange: () => void): void {
  let last = stampsOf(paths);
  setInterval(() => {
    const now = stampsOf(paths);
    if (now === last) return;
    last = now;
    onChange();
  }, LOOK_MS);
}

function stampsOf(paths: readonly string[]): string {
  return paths.map(stampOf).join("\n");
}

/** The check says why a file cannot be read. */
function stampOf(path: string): string {
  try {
    return fileStamp(path);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return error.code;
  }
}
