import type { SecretBytes } from "@svc/secret-bytes";
import type { FileMapping } from "@svc/settings";
import { type Failure, failure } from "../errors.ts";
import { MOST_ALL_BYTES, MOST_FILE_BYTES } from "../secret-files/bounds.ts";
import type { FileEntry } from "../secret-files/file-entry.ts";
import type { SecretSettings, SecretSource } from "../settings.ts";
import { fieldNames } from "./map-fields.ts";
import type { SourceOutcome } from "./source-outcome.ts";
import { valueProblem } from "./value-problem.ts";

/** Four letters stand for three bytes, and a line end may follow after 64. */
const BASE64_PART = 1.4;

/** Applies the file map to the read secrets, and adds mismatches to `failures`. */
export function mapFiles(
  { sources, allowReferences }: SecretSettings,
  outcomes: readonly SourceOutcome[],
  failures: Failure[],
): readonly FileEntry[] {
  const entries = sources.flatMap((source, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined || !outcome.ok) return [];
    const { fields, whole } = outcome.secret;
    const all = whole === undefined ? fields : new Map([[whole.field, whole.value], ...fields]);
    return filesOf(source, all, { allowReferences, failures });
  });
  const total = entries.reduce((sum, entry) => sum + leastLength(entry), 0);
  if (total > MOST_ALL_BYTES) {
    failures.push(
      failure("VALUE_REFUSED", "deliver the files: together they have more than 4 MiB"),
    );
  }
  return entries;
}

/** Base64 may have line ends and blanks, too. */
function leastLength({ file, value }: FileEntry): number {
  return file.base64 ? value.length / BASE64_PART : value.length;
}

interface Rules {
  readonly allowReferences: boolean;
  readonly failures: Failure[];
}

function filesOf(
  { path, files = [] }: SecretSource,
  fields: ReadonlyMap<string, SecretBytes | null>,
  { allowReferences, failures }: Rules,
): readonly FileEntry[] {
  return files.flatMap((file) => {
    const value = fields.get(file.field);
    if (value === undefined) {
      const message = `deliver ${file.path}: ${path} has no field "${file.field}": ${fieldNames(fields)}`;
      failures.push(failure("FIELD_MISSING", message, "correct SVC_FILE_MAP or the secret"));
      return [];
    }
    const problem =
      valueProblem(value, { allowReferences, mayHaveNul: true }) ?? tooLarge(file, value);
    if (problem === undefined && value !== null) return [{ file, value, path }];
    const place = `${file.path} from field "${file.field}" of ${path}`;
    failures.push(failure("VALUE_REFUSED", `deliver ${place}: ${problem?.what}`, problem?.hint));
    return [];
  });
}

function tooLarge({ base64 }: FileMapping, value: SecretBytes | null) {
  const most = base64 ? MOST_FILE_BYTES * BASE64_PART : MOST_FILE_BYTES;
  if (value === null || value.length <= most) return undefined;
  return { what: "the file is larger than 1 MiB", hint: "divide it, or keep it elsewhere" };
}
