import { findDuplicates } from "./duplicates.ts";
import { type FileMapping, parseFileEntry } from "./file-entry.ts";
import {
  accepted,
  everyRefusal,
  joinRefusals,
  type Parsed,
  type Refused,
  refused,
} from "./parsed.ts";

/** The files of the first path, of the second path, and so on. */
export type FileMap = readonly (readonly FileMapping[])[];

/** The most files of a map. */
export const MOST_FILES = 64;

interface Placed {
  readonly file: FileMapping;
  readonly place: string;
}

/**
 * Parses `field=/path,field=/path;field=/path`: semicolons part the groups, one for each secret path
 * in order; commas part the entries of a group. A group may be empty: that secret gives no file.
 *
 * All problems are told: also two files at one path, and a path below another file.
 */
export function parseFileMap(text: string): Parsed<FileMap> {
  const refusals: Refused[] = [];
  const placed: Placed[] = [];
  const groups = text.split(";").map((groupText, groupIndex) => {
    if (groupText.trim() === "") return [];
    return groupText.split(",").flatMap((entryText, index) => {
      const place = `entry ${index + 1} of group ${groupIndex + 1}`;
      const parsed = parsePlaced(entryText.trim(), place);
      if (!parsed.ok) refusals.push(parsed);
      else placed.push({ file: parsed.value, place });
      return parsed.ok ? [parsed.value] : [];
    });
  });
  // A longer map is not compared: that takes time for each pair.
  const isTooLong = placed.length > MOST_FILES;
  refusals.push(...(isTooLong ? [tooMany(placed.length)] : collisions(placed)));
  refusals.push(...sameVariables(placed));
  if (placed.length === 0 && refusals.length === 0) refusals.push(refused("a map with a file"));
  return joinRefusals(refusals) ?? accepted(groups);
}

function parsePlaced(text: string, place: string): Parsed<FileMapping> {
  if (text === "") return refused("a map without empty entries", { found: `${place} is empty` });
  const parsed = parseFileEntry(text);
  if (parsed.ok) return parsed;
  const faults = everyRefusal(parsed).map((one) => ({
    ...one,
    wanted: `${one.wanted} (${place})`,
    got: one.got ?? text,
  }));
  return joinRefusals(faults) ?? parsed;
}

/** No two files have one path, and no path needs a file to be a folder. */
function collisions(placed: readonly Placed[]): readonly Refused[] {
  return placed.flatMap(({ file, place }, index) =>
    placed.slice(0, index).flatMap((other) => {
      const found = collision(file.path, other.file.path);
      if (found === undefined) return [];
      return [
        refused("a map of files at different paths", {
          found: `${other.place} and ${place} ${found}`,
        }),
      ];
    }),
  );
}

function collision(one: string, other: string): string | undefined {
  if (one === other) return `both name ${one}`;
  if (one.startsWith(`${other}/`)) return `contradict: ${one} lies below the file ${other}`;
  if (other.startsWith(`${one}/`)) return `contradict: ${other} lies below the file ${one}`;
  return undefined;
}

function sameVariables(placed: readonly Placed[]): readonly Refused[] {
  return findDuplicates(
    placed.flatMap(({ file: { variable }, place }) =>
      variable === undefined ? [] : [{ variable, place }],
    ),
  );
}

function tooMany(count: number): Refused {
  return refused(`a map of ${MOST_FILES} files at most`, { found: `it has ${count}` });
}
