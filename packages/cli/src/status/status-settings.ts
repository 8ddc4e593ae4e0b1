import { type Problem, parseFlags, parseVariables, problem } from "@svc/settings";
import { type ClusterSettings, clusterSettings } from "../cluster/cluster-flags.ts";
import { type NamedObject, readNamedObject } from "../cluster/named-object.ts";
import type { CommandLine } from "../command-line.ts";
import { statusFlags } from "./status-flags.ts";

/** The settings of `svc status`. */
export interface StatusSettings extends ClusterSettings {
  /** Undefined for every workload of the namespace. */
  readonly object: NamedObject | undefined;
  readonly allNamespaces: boolean;
  readonly path: string | undefined;
}

/** Parses the words behind `svc status`: flags, and KIND NAME or KIND/NAME if one is meant. */
export function parseStatus(
  words: readonly string[],
  environment: ReadonlyMap<string, string>,
): CommandLine<StatusSettings> {
  const strayHint = "name one object, KIND NAME, or leave it out for all of the namespace";
  const rules = { table: statusFlags, refused: new Map(), strayHint, mostWords: 2 };
  const flags = parseFlags(words, rules);
  if (flags.asked !== undefined) return { kind: flags.asked };
  const parsed = parseVariables(statusFlags, { environment, flags: flags.values });
  const named = flags.words.length === 0 ? undefined : readNamedObject(flags.words, "svc status");
  const object = named !== undefined && "kind" in named ? named : undefined;
  const { allNamespaces, namespace, path } = parsed.values;
  const contradicted = allNamespaces && (named !== undefined || namespace !== undefined);
  const problems: readonly Problem[] = [
    ...(named === undefined || "kind" in named ? [] : [named]),
    ...flags.problems,
    ...parsed.problems,
    ...(contradicted ? [tooMany] : []),
  ];
  if (problems.length > 0) return { kind: "problems", problems };
  const settings = { object, ...clusterSettings(parsed.values), allNamespaces, path };
  return { kind: "settings", settings };
}

const tooMany = problem({
  variable: "--all-namespaces",
  wanted: "given without --namespace, and without an object",
  found: "one of them is there",
});
