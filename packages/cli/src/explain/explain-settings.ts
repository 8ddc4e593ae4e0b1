import { parseFlags, parseVariables } from "@svc/settings";
import { type ClusterSettings, clusterSettings } from "../cluster/cluster-flags.ts";
import { type NamedObject, readNamedObject } from "../cluster/named-object.ts";
import type { CommandLine } from "../command-line.ts";
import { explainFlags } from "./explain-flags.ts";

/** The settings of `svc explain`. */
export interface ExplainSettings extends NamedObject, ClusterSettings {
  readonly lookUpImages: boolean;
}

/** Parses the words behind `svc explain`: KIND NAME or KIND/NAME, and flags around them. */
export function parseExplain(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
): CommandLine<ExplainSettings> {
  const strayHint = "one object is explained at a time: KIND NAME";
  const rules = { table: explainFlags, refused: new Map(), strayHint, mostWords: 2 };
  const flags = parseFlags(words, rules);
  if (flags.asked !== undefined) return { kind: flags.asked };
  const parsed = parseVariables(explainFlags, { environment, flags: flags.values });
  const object = readNamedObject(flags.words, "svc explain");
  const problems = [...("kind" in object ? [] : [object]), ...flags.problems, ...parsed.problems];
  if (!("kind" in object) || problems.length > 0) return { kind: "problems", problems };
  const { lookUpImages } = parsed.values;
  const settings = { ...object, ...clusterSettings(parsed.values), lookUpImages };
  return { kind: "settings", settings };
}
