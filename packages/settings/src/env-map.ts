import { findDuplicates, type NamedPlace } from "./duplicates.ts";
import { type Mapping, parseMapping } from "./mapping.ts";
import { accepted, joinRefusals, type Parsed, type Refused, refused } from "./parsed.ts";

/** The mappings of the first path, of the second path, and so on. */
export type EnvMap = readonly (readonly Mapping[])[];

/**
 * Parses `field1=VAR1,field2=VAR2;field3=VAR3`: semicolons part the groups, one for each secret
 * path in order; commas part the mappings of a group.
 *
 * White space around a mapping does not count. An empty group, an empty mapping and a variable
 * that is named twice are refused, each with its place.
 */
export function parseEnvMap(text: string): Parsed<EnvMap> {
  return parseGroups(text, false);
}

/** The same, but a group may be empty: the secret may give files instead (`parseFileMap`). */
export function parseSparseEnvMap(text: string): Parsed<EnvMap> {
  return parseGroups(text, true);
}

function parseGroups(text: string, mayBeEmpty: boolean): Parsed<EnvMap> {
  const groups: Mapping[][] = [];
  const refusals: Refused[] = [];
  const places: NamedPlace[] = [];
  for (const [groupIndex, groupText] of text.split(";").entries()) {
    const group: Mapping[] = [];
    const isLeftOut = mayBeEmpty && groupText.trim() === "";
    for (const [index, mappingText] of isLeftOut ? [] : groupText.split(",").entries()) {
      const place = `mapping ${index + 1} of group ${groupIndex + 1}`;
      const parsed = parsePlacedMapping(mappingText.trim(), place);
      if (!parsed.ok) refusals.push(parsed);
      else {
        group.push(parsed.value);
        places.push(...namedVariables(parsed.value, place));
      }
    }
    groups.push(group);
  }
  return joinRefusals([...refusals, ...findDuplicates(places)]) ?? accepted(groups);
}

function parsePlacedMapping(text: string, place: string): Parsed<Mapping> {
  if (text === "") return refused("a map without empty mappings", { found: `${place} is empty` });
  const parsed = parseMapping(text);
  if (parsed.ok) return parsed;
  return { ...parsed, wanted: `${parsed.wanted} (${place})`, got: text };
}

function namedVariables(mapping: Mapping, place: string): readonly NamedPlace[] {
  return mapping.kind === "field" ? [{ variable: mapping.variable, place }] : [];
}
