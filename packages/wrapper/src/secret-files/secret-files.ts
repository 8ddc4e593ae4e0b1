import { SyscallError } from "@svc/kernel";
import { WrapperError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { WrapperSettings } from "../settings.ts";
import { type FilePlan, filesOf, planFiles } from "./file-plan.ts";
import type { OwnMounts } from "./own-mounts.ts";
import { descriptorProblems } from "./pass-problems.ts";
import type { FileWay } from "./passed-file.ts";
import { preparePlace } from "./prepare-place.ts";
import { type Leftover, removeVersions } from "./remove-versions.ts";

/** A reader may have followed `..data`, and not have opened the file yet. */
const LAST_LOOK_MS = 1000;

/** The files of SVC_FILE_MAP, as the supervisor knows them: it never has a value. */
export interface SecretFiles {
  readonly way: FileWay;
  /**
   * Removes the versions that came to nothing, and soon the older ones. To be called while no courier
   * writes one.
   */
  readonly clearUp: () => void;
}

/**
 * Prepares the place of the files, or finds that descriptors will do, and says so.
 *
 * @throws WrapperError with everything that stands in the way.
 */
export function prepareFiles(
  settings: WrapperSettings,
  mounts: OwnMounts,
  log: Logger,
): SecretFiles | undefined {
  const plan = planFiles(filesOf(settings.secrets));
  if (plan === undefined) return undefined;
  try {
    const memory = preparePlace(plan, mounts);
    const text = "they are in memory, on no disk, and for this program";
    log.info(`deliver files by a private mount: ${text}`, {
      files: plan.files.length,
      folders: plan.folders.map(({ path }) => path).join(" "),
      memory: memory === "tmpfs" ? "tmpfs without swap" : memory,
    });
    return { way: "mount", clearUp: clearUpIn(plan, log) };
  } catch (error) {
    if (!(error instanceof WrapperError)) throw error;
    return byDescriptors(plan, { settings, log }, error);
  }
}

/** @throws WrapperError with all that stands in the way of both. */
function byDescriptors(
  plan: FilePlan,
  { settings, log }: { readonly settings: WrapperSettings; readonly log: Logger },
  error: WrapperError,
): SecretFiles {
  if (!plan.files.every(({ anyPath }) => anyPath)) throw error;
  const problems = descriptorProblems(settings);
  if (problems.length > 0) {
    const [first, ...rest] = [...error.failures, ...problems];
    throw first === undefined ? error : new WrapperError([first, ...rest], error);
  }
  log.info("deliver files by descriptors: they are in memory, at the paths of their variables", {
    files: plan.files.length,
    reason: error.message,
  });
  return { way: "descriptors", clearUp: () => undefined };
}

function clearUpIn(plan: FilePlan, log: Logger): () => void {
  const remove = (which: Leftover) => {
    try {
      removeVersions(plan, which);
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      log.warn(`files of SVC_FILE_MAP that have no use any more stay: ${error.message}`);
    }
  };
  return () => {
    remove("newer");
    setTimeout(() => remove("older"), LAST_LOOK_MS);
  };
}
