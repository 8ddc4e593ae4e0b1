import { parseFlags, parseVariables } from "@svc/settings";
import { type ClusterSettings, clusterSettings } from "../cluster/cluster-flags.ts";
import { type NamedObject, readNamedObject } from "../cluster/named-object.ts";
import type { CommandLine } from "../command-line.ts";
import { refreshFlags } from "./refresh-flags.ts";

/** The settings of `svc refresh`. */
export interface RefreshSettings extends NamedObject, ClusterSettings {
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly dryRun: boolean;
}

/** Parses the words behind `svc refresh`: KIND NAME or KIND/NAME, and flags around them. */
export function parseRefresh(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
): CommandLine<RefreshSettings> {
  const strayHint = "one object is refreshed at a time: KIND NAME";
  const rules = { table: refreshFlags, refused: new Map(), strayHint, mostWords: 2 };
  const flags = parseFlags(words, rules);
  if (flags.asked !== undefined) return { kind: flags.asked };
  const parsed = parseVariables(refreshFlags, { environment, flags: flags.values });
  const object = readNamedObject(flags.words, "svc refresh");
  const problems = [...("kind" in object ? [] : [object]), ...flags.problems, ...parsed.problems];
  if (!("kind" in object) || problems.length > 0) return { kind: "problems", problems };
  const { wait, timeoutMs, dryRun } = parsed.values;
  const settings = { ...object, ...clusterSettings(parsed.values), wait, timeoutMs, dryRun };
  return { kind: "settings", settings };
}
