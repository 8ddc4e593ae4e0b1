import { type ParsedSvcConfig, parseSvcConfig } from "./parse-svc-config.ts";

/** A SvcConfig with the cluster's facts about it. */
export interface WatchedConfig {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Counts the changes of its spec. */
  readonly generation: number;
  readonly parsed: ParsedSvcConfig;
  /** As it was written last, by any client. */
  readonly status: unknown;
}

/** Reads one; undefined if it has no name. */
export function watchedConfig(object: unknown): WatchedConfig | undefined {
  return withParsed(object, () => parseSvcConfig(object));
}

/** An SvcConfig of which the operator keeps only that it exists, and the reason. */
export function leftOutConfig(object: unknown, problem: string): WatchedConfig | undefined {
  return withParsed(object, () => ({ ok: false, problems: [problem] }));
}

function withParsed(object: unknown, parse: () => ParsedSvcConfig): WatchedConfig | undefined {
  const { metadata, status } = Object(object);
  const { namespace, name, uid, resourceVersion, generation } = Object(metadata);
  if (typeof namespace !== "string" || typeof name !== "string") return undefined;
  return {
    ...{ namespace, name, uid: String(uid), resourceVersion: String(resourceVersion) },
    generation: typeof generation === "number" ? generation : 0,
    parsed: parse(),
    status,
  };
}
