import { fileStamp, SyscallError } from "@svc/kernel";
import type { Logger } from "../log.ts";

/** Between two looks at the file. */
const LOOK_MS = 3000;

/**
 * Looks at a file every three seconds, and calls back after it was written, made or replaced. It
 * opens nothing, so a pipe cannot keep it. An error is logged once.
 *
 * @param path SVC_REFRESH_FILE
 */
export function followRefreshFile(
  path: string,
  { log, onChange }: { readonly log: Logger; readonly onChange: () => void },
): void {
  let failure: string | undefined;
  const look = (): string | undefined => {
    try {
      return fileStamp(path);
    } catch (error) {
      const code = error instanceof SyscallError ? error.code : "it cannot be looked at";
      if (code === "ENOENT") return "absent";
      if (code !== failure) log.warn(`SVC_REFRESH_FILE ${JSON.stringify(path)}: ${code}`);
      failure = code;
      return undefined;
    }
  };
  let last = look();
  setInterval(() => {
    const now = look();
    if (now === undefined || now === last) return;
    const hasChanged = last !== undefined && now !== "absent";
    last = now;
    if (hasChanged) onChange();
  }, LOOK_MS);
}
