import { cgroupIdentity, systemdUnit } from "../report/cgroup-identity.ts";

/** Whom the administrator lets register at the socket, outside of pods. */
export interface RegistrationRules {
  /** Numbers of users, in the agent's user namespace. */
  readonly users: readonly number[];
  /** Names of services; `*` stands for any characters. */
  readonly units: readonly string[];
}

/** Who calls, by the kernel's word. */
export interface CallerFacts {
  readonly uid: number;
  readonly cgroup: string;
}

/** By what somebody may register. */
export type Authority = "pod" | "unit" | "user";

/**
 * Pure: by what a caller may register; undefined where it may not. A pod has the socket because the operator, or
 * somebody who may mount folders of the node, has given it one; its cgroup says which pod it is.
 */
export function authorityOf(
  { uid, cgroup }: CallerFacts,
  { users, units }: RegistrationRules,
): Authority | undefined {
  if (cgroupIdentity(cgroup).podUid !== undefined) return "pod";
  const unit = systemdUnit(cgroup);
  if (unit !== undefined && units.some((pattern) => matches(pattern, unit))) return "unit";
  return users.includes(uid) ? "user" : undefined;
}

/** Backtracks to the last star only, so no pattern takes long. */
function matches(pattern: string, unit: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!unit.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return unit === pattern;
  let at = first.length;
  for (const part of rest) {
    const found = unit.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return unit.length - last.length >= at && unit.endsWith(last);
}
