import { SyscallError } from "@svc/kernel";
import type { Logger } from "../log.ts";
import type { SecretSettings } from "../settings.ts";
import { filesOf, planFiles } from "./file-plan.ts";
import type { OwnMounts } from "./own-mounts.ts";
import { preparePlace } from "./prepare-place.ts";
import { type Leftover, removeVersions } from "./remove-versions.ts";

/** A reader may have followed `..data`, and not have opened the file yet. */
const LAST_LOOK_MS = 1000;

/** The files of SVC_FILE_MAP, as the supervisor knows them: it never has a value. */
export interface SecretFiles {
  /**
   * Removes the versions that came to nothing, and soon the older ones. To be called while no courier
   * writes one.
   */
  readonly clearUp: () => void;
}

/**
 * Prepares the place of the files, and says so.
 *
 * @throws WrapperError with everything that stands in the way.
 */
export function prepareFiles(
  settings: Pick<SecretSettings, "sources">,
  mounts: OwnMounts,
  log: Logger,
): SecretFiles | undefined {
  const plan = planFiles(filesOf(settings));
  if (plan === undefined) return undefined;
  const memory = preparePlace(plan, mounts);
  log.info(
    "deliver files by a private mount: they are in memory, on no disk, and for this program",
    {
      files: plan.files.length,
      folders: plan.folders.map(({ path }) => path).join(" "),
      memory: memory === "tmpfs" ? "tmpfs without swap" : memory,
    },
  );
  const remove = (which: Leftover) => {
    try {
      removeVersions(plan, which);
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      log.warn(`files of SVC_FILE_MAP that have no use any more stay: ${error.message}`);
    }
  };
  return {
    clearUp: () => {
      remove("newer");
      setTimeout(() => remove("older"), LAST_LOOK_MS);
    },
  };
}
