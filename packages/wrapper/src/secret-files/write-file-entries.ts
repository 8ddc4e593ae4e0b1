import type { SecretSettings } from "../settings.ts";
import type { FileEntry } from "./file-entry.ts";
import { filesOf, planFiles } from "./file-plan.ts";
import { type WrittenVersion, writeVersion } from "./write-version.ts";

/**
 * Writes the files of a fetch, beside those of the fetch before.
 *
 * @param entries one for each file of the settings, in any order
 */
export function writeFileEntries(
  settings: Pick<SecretSettings, "sources">,
  entries: readonly FileEntry[],
): WrittenVersion {
  const plan = planFiles(filesOf(settings));
  if (plan === undefined) throw new TypeError("no file is mapped");
  const values = new Map(entries.map(({ file, value }) => [file.path, value]));
  return writeVersion(
    plan,
    plan.files.map(({ path }) => {
      const value = values.get(path);
      if (value === undefined) throw new TypeError("a file has no value");
      return value;
    }),
  );
}
