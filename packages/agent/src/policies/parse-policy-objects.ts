import { FieldReader } from "./field-reader.ts";
import { type ParsedPolicies, readName, readPermission } from "./parse-policies.ts";

/** A SvcPolicy as the API server has it. */
export interface PolicyObject {
  readonly name: string;
  readonly spec: unknown;
}

/** Begins the name of a SvcPolicy in events. A policy of POLICY_FILE has no slash in its name. */
const PREFIX = "svcpolicy/";

/**
 * Parses SvcPolicies, by the rules of POLICY_FILE. It never throws, and names each field that is
 * wrong. The API server has judged them by the definition of its version, which may be another
 * one than this agent's.
 */
export function parsePolicyObjects(objects: readonly PolicyObject[]): ParsedPolicies {
  const reader = new FieldReader();
  const policies = objects.flatMap(({ name: given, spec }) => {
    const at = `SvcPolicy ${given}`;
    const name = readName(reader, `${at}: metadata.name`, given);
    const permission = readPermission(reader, `${at}: spec`, spec);
    if (name === undefined || permission === undefined) return [];
    return [{ name: `${PREFIX}${name}`, ...permission }];
  });
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems };
  return { ok: true, policies };
}
