import { type Problem, parseFlags, parseVariables, problem, quoted } from "@svc/settings";
import { type ClusterSettings, clusterFlags, clusterSettings } from "../cluster/cluster-flags.ts";
import type { CommandLine } from "../command-line.ts";

/** The flags of `svc doctor`. */
export const doctorFlags = clusterFlags;

/** The places that it can look at. */
export const places = ["node", "cluster"] as const;
export type Place = (typeof places)[number];

/** The settings of `svc doctor`. */
export interface DoctorSettings extends ClusterSettings {
  readonly place: Place;
}

/** Parses the words behind `svc doctor`. */
export function parseDoctor(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
): CommandLine<DoctorSettings> {
  const strayHint = "one place is looked at: svc doctor node, or svc doctor cluster";
  const rules = { table: doctorFlags, refused: new Map(), strayHint, mostWords: 1 };
  const flags = parseFlags(words, rules);
  if (flags.asked !== undefined) return { kind: flags.asked };
  const parsed = parseVariables(doctorFlags, { environment, flags: flags.values });
  const [word] = flags.words;
  const place = places.find((one) => one === word);
  const problems = [
    ...(place === undefined ? [unknownPlace(word, strayHint)] : []),
    ...flags.problems,
    ...parsed.problems,
  ];
  if (place === undefined || problems.length > 0) return { kind: "problems", problems };
  return { kind: "settings", settings: { place, ...clusterSettings(parsed.values) } };
}

function unknownPlace(word: string | undefined, hint: string): Problem {
  const found = word === undefined ? "it is missing" : `got ${quoted(word)}`;
  return problem({ variable: "the place", wanted: places.join(" or "), found, hint });
}
